//! The messages of the payloads that have a type, as Protocol Buffers by way of prost: another format, shown for reference
//! (`~prost`). Field numbers stand in the order of the fields, as a hand-written .proto would have them.

use prost::Message;

use crate::model;

/// The prost twin of a model type.
pub trait Twin {
    type Message: Message + Default + PartialEq + 'static;
    fn twin(&self) -> Self::Message;
}

/// A payload without a twin: prost does not take part.
#[derive(Clone, PartialEq, Message)]
pub struct Nothing {}

macro_rules! no_twin {
    ($($kind:ty),*) => {$(impl Twin for $kind { type Message = Nothing; fn twin(&self) -> Nothing { Nothing {} } })*};
}

no_twin!(
    Vec<f64>,
    Vec<i64>,
    Vec<Option<bool>>,
    Vec<String>,
    std::collections::BTreeMap<String, u64>,
    Vec<model::Row<String>>,
    model::Node<String>,
    model::Prose<String>,
    model::Request10k<String>
);

#[derive(Clone, PartialEq, Message)]
pub struct Event {
    #[prost(uint64, tag = "1")]
    pub uid: u64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(uint32, tag = "3")]
    pub followers: u32,
    #[prost(bool, tag = "4")]
    pub online: bool,
    #[prost(string, tag = "5")]
    pub ts: String,
    #[prost(string, tag = "6")]
    pub kind: String,
}

impl Twin for model::Event<String> {
    type Message = Event;
    fn twin(&self) -> Event {
        Event {
            uid: self.uid,
            name: self.name.clone(),
            followers: self.followers,
            online: self.online,
            ts: self.ts.clone(),
            kind: self.kind.clone(),
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Metadata {
    #[prost(string, tag = "1")]
    pub tenant: String,
    #[prost(string, tag = "2")]
    pub request_id: String,
    #[prost(uint32, tag = "3")]
    pub priority: u32,
    #[prost(string, repeated, tag = "4")]
    pub tags: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Request {
    #[prost(string, tag = "1")]
    pub model: String,
    #[prost(string, tag = "2")]
    pub prompt: String,
    #[prost(uint32, tag = "3")]
    pub max_tokens: u32,
    #[prost(double, tag = "4")]
    pub temperature: f64,
    #[prost(double, tag = "5")]
    pub top_p: f64,
    #[prost(uint32, tag = "6")]
    pub top_k: u32,
    #[prost(uint64, optional, tag = "7")]
    pub seed: Option<u64>,
    #[prost(string, repeated, tag = "8")]
    pub stop: Vec<String>,
    #[prost(bool, tag = "9")]
    pub stream: bool,
    #[prost(string, tag = "10")]
    pub user: String,
    #[prost(message, required, tag = "11")]
    pub metadata: Metadata,
}

impl Twin for model::Request<String> {
    type Message = Request;
    fn twin(&self) -> Request {
        let m = &self.metadata;
        Request {
            model: self.model.clone(),
            prompt: self.prompt.clone(),
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            top_p: self.top_p,
            top_k: self.top_k,
            seed: self.seed,
            stop: self.stop.clone(),
            stream: self.stream,
            user: self.user.clone(),
            metadata: Metadata {
                tenant: m.tenant.clone(),
                request_id: m.request_id.clone(),
                priority: m.priority,
                tags: m.tags.clone(),
            },
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct User {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub email: String,
    #[prost(double, tag = "3")]
    pub score: f64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Item {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(message, required, tag = "2")]
    pub user: User,
    #[prost(string, repeated, tag = "3")]
    pub tags: Vec<String>,
    #[prost(double, repeated, tag = "4")]
    pub values: Vec<f64>,
    #[prost(bool, tag = "5")]
    pub active: bool,
    #[prost(string, tag = "6")]
    pub created: String,
    #[prost(string, tag = "7")]
    pub note: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Nested {
    #[prost(message, repeated, tag = "1")]
    pub items: Vec<Item>,
    #[prost(uint32, tag = "2")]
    pub total: u32,
    #[prost(uint32, optional, tag = "3")]
    pub next: Option<u32>,
}

impl Twin for model::Nested<String> {
    type Message = Nested;
    fn twin(&self) -> Nested {
        let item = |i: &model::Item<String>| Item {
            id: i.id,
            user: User { name: i.user.name.clone(), email: i.user.email.clone(), score: i.user.score },
            tags: i.tags.clone(),
            values: i.values.clone(),
            active: i.active,
            created: i.created.clone(),
            note: i.note.clone(),
        };
        Nested { items: self.items.iter().map(item).collect(), total: self.total, next: self.next }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Record {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(double, tag = "2")]
    pub price: f64,
    #[prost(string, tag = "3")]
    pub symbol: String,
    #[prost(sint32, tag = "4")]
    pub quantity: i32,
    #[prost(double, tag = "5")]
    pub weight: f64,
    #[prost(string, tag = "6")]
    pub category: String,
    #[prost(uint32, tag = "7")]
    pub flags: u32,
    #[prost(double, tag = "8")]
    pub ratio: f64,
    #[prost(string, tag = "9")]
    pub owner: String,
    #[prost(int64, tag = "10")]
    pub created_at: i64,
    #[prost(bool, tag = "11")]
    pub active: bool,
    #[prost(string, tag = "12")]
    pub comment: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Records {
    #[prost(message, repeated, tag = "1")]
    pub rows: Vec<Record>,
}

impl Twin for Vec<model::Record<String>> {
    type Message = Records;
    fn twin(&self) -> Records {
        let row = |r: &model::Record<String>| Record {
            id: r.id,
            price: r.price,
            symbol: r.symbol.clone(),
            quantity: r.quantity,
            weight: r.weight,
            category: r.category.clone(),
            flags: r.flags,
            ratio: r.ratio,
            owner: r.owner.clone(),
            created_at: r.created_at,
            active: r.active,
            comment: r.comment.clone(),
        };
        Records { rows: self.iter().map(row).collect() }
    }
}
