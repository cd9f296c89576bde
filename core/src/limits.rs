//! What one input may cost. All limits are on by default where a default makes sense; each is tested on both
//! sides of its boundary.

/// Bounds on one input. Memory never exceeds a constant times the input's size whatever these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Containers inside containers: 512. A scalar has depth 0, `[]` has depth 1. The reader recurses, and 512
    /// levels fit a stack of 256 KiB, the smallest that hosts give their threads. At most [`MAX_DEPTH`].
    pub max_depth: u32,
    /// Bytes of one input: 256 MiB.
    pub max_bytes: usize,
    /// Values in one input, keys not counted; no limit by default.
    pub max_items: usize,
    /// Fields that a schema does not know, per message: 1 024.
    pub max_unknown_fields: usize,
}

/// The highest `max_depth` that can be asked for: what the smallest supported stack holds.
pub const MAX_DEPTH: u32 = 512;

impl Limits {
    /// The defaults.
    pub const DEFAULT: Limits =
        Limits { max_depth: 512, max_bytes: 256 << 20, max_items: usize::MAX, max_unknown_fields: 1024 };
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}
