//! The types of the payloads, generic over the string type: `String` for owned messages, [`Text`] for borrowed ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use zerompk::{FromMessagePack, ToMessagePack};

/// A string that borrows from the input where the format lets it (JSON with escapes does not).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v.to_owned())))
            }
            fn visit_string<E>(self, v: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(v)))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

impl<'de: 'a, 'a> FromMessagePack<'de> for Text<'a> {
    fn read<R: zerompk::Read<'de>>(reader: &mut R) -> zerompk::Result<Self> {
        Ok(Text(reader.read_string()?))
    }
}

impl ToMessagePack for Text<'_> {
    fn write<W: zerompk::Write>(&self, writer: &mut W) -> zerompk::Result<()> {
        writer.write_string(&self.0)
    }
}

macro_rules! model {
    ($($name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {$(
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, FromMessagePack, ToMessagePack)]
        #[msgpack(map)]
        pub struct $name<S: Ord> { $(pub $field: $kind),* }
    )*};
}

model! {
    Event { uid: u64, name: S, followers: u32, online: bool, ts: S, kind: S }
    Metadata { tenant: S, request_id: S, priority: u32, tags: Vec<S> }
    Request {
        model: S, prompt: S, max_tokens: u32, temperature: f64, top_p: f64, top_k: u32, seed: Option<u64>, stop: Vec<S>,
        stream: bool, user: S, metadata: Metadata<S>,
    }
    Message { role: S, content: S }
    Request10k {
        model: S, messages: Vec<Message<S>>, max_tokens: u32, temperature: f64, top_p: f64, top_k: u32, frequency_penalty: f64,
        seed: Option<u64>, logit_bias: BTreeMap<S, i64>, stop: Vec<S>, stream: bool, user: S, metadata: Metadata<S>,
    }
    User { name: S, email: S, score: f64 }
    Item { id: u32, user: User<S>, tags: Vec<S>, values: Vec<f64>, active: bool, created: S, note: S }
    Nested { items: Vec<Item<S>>, total: u32, next: Option<u32> }
    Record {
        id: u64, price: f64, symbol: S, quantity: i32, weight: f64, category: S, flags: u32, ratio: f64, owner: S,
        created_at: i64, active: bool, comment: S,
    }
    Prose { id: u64, text: S }
    Row { id: u64, created: S, updated: S, name: S }
    Node { id: u64, kind: S, on: bool, children: Vec<Node<S>> }
}
