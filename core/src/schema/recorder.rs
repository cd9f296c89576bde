//! Values that arrive before it is known what they must be: kept as trees and replayed.
//!
//! Unlike [`Builder`](crate::value::Builder) it keeps open containers itself, so that an adapter can switch to
//! it in the middle of a walk.

use alloc::vec::Vec;

use crate::value::Value;

/// A stack of finished values; open containers remember its height.
#[derive(Default)]
pub(crate) struct Recorder {
    stack: Vec<Value>,
}

impl Recorder {
    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(crate) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Null)
    }

    /// Where a container begins.
    pub(crate) fn mark(&self) -> usize {
        self.stack.len()
    }

    pub(crate) fn close_array(&mut self, mark: usize) {
        let items = self.stack.split_off(mark);
        self.stack.push(Value::Array(items));
    }

    /// Keys and values alternate on the stack.
    pub(crate) fn close_map(&mut self, mark: usize) {
        let mut parts = self.stack.split_off(mark).into_iter();
        let mut entries = Vec::with_capacity(parts.len() / 2);
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            entries.push((key, value));
        }
        self.stack.push(Value::Map(entries));
    }
}
