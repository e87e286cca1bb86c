//! The loop between a search and an oracle.
