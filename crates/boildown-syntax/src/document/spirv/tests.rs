//! Facts about what is left of modules of SPIR-V.
