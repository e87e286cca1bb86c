//! Facts about what is left of modules of MLIR.
