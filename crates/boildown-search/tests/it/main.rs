//! What every machine promises, checked on small inputs against brute force and against itself.

mod changes;
mod graph;
mod groves;
mod guarantees;
mod lists;
mod oracles;
mod probabilistic;
mod questions;
mod schedules;
mod studies;
mod trees;
mod width;
mod workers;
