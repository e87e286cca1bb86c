//! Guarantees and costs of every search, checked on small inputs against brute force.

mod any_search;
mod changes;
mod graph;
mod groves;
mod guarantees;
mod lists;
mod minimize;
mod oracles;
mod probabilistic;
mod queries;
mod schedules;
mod studies;
mod trees;
mod workers;
