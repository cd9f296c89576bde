//! MessagePack (github.com/msgpack/msgpack/blob/master/spec.md): bytes to visitor and visitor to bytes.

pub mod cursor;
pub mod marker;
pub mod reader;
pub mod writer;

pub use cursor::Cursor;
pub use reader::{Reader, read};
pub use writer::Writer;
