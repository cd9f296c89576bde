//! JSON (RFC 8259): text to visitor and visitor to text.

pub mod cursor;
mod escape;
pub mod number;
pub mod reader;
pub(crate) mod scan;
pub mod string;
pub mod writer;

pub use cursor::Cursor;
pub use reader::{Reader, read};
pub use writer::Writer;
