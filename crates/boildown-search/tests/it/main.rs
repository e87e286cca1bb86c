//! What every machine promises, checked on small inputs against brute force and against itself.

mod groves;
mod guarantees;
mod oracles;
mod questions;
mod schedules;
mod trees;
mod workers;
