//! What every machine promises, checked on small inputs against brute force and against itself.

mod guarantees;
mod lists;
mod oracles;
mod questions;
mod trees;
mod workers;
