//! The compiled schema: a flat list of nodes that point at each other by number.
//!
//! A node says for each kind of value whether it is admitted and what is asked of it. So nullable types,
//! unions told apart by kind and schemas without `type` are all the same thing: a node that admits more than
//! one kind. Only unions of records need more, a property that tells the arms apart.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::number::NumberRules;
use super::text::TextRules;
use crate::value::Value;
use crate::visit::Demand;

/// Index of a node in [`Program::nodes`].
pub(crate) type NodeId = u32;

/// Kinds as bits. The constants are one kind each, so that an enum of them needs no list.
pub(crate) mod kind {
    pub const NULL: u16 = 1;
    pub const FALSE: u16 = 1 << 1;
    pub const TRUE: u16 = 1 << 2;
    /// −2^63 … 2^63−1
    pub const INT: u16 = 1 << 3;
    /// 2^63 … 2^64−1
    pub const UINT: u16 = 1 << 4;
    pub const BIGINT: u16 = 1 << 5;
    pub const FLOAT: u16 = 1 << 6;
    pub const STR: u16 = 1 << 7;
    pub const BIN: u16 = 1 << 8;
    pub const TIME: u16 = 1 << 9;
    pub const EXT: u16 = 1 << 10;
    pub const ARRAY: u16 = 1 << 11;
    pub const MAP: u16 = 1 << 12;

    pub const BOOL: u16 = FALSE | TRUE;
    pub const INTS: u16 = INT | UINT | BIGINT;
    pub const NUMBERS: u16 = INTS | FLOAT;
    /// All that is a string in JSON.
    pub const TEXTS: u16 = STR | BIN | TIME;
    pub const ALL: u16 = (1 << 13) - 1;
}

/// What becomes of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NumberAs {
    /// Integers stay integers, floats stay floats.
    #[default]
    Same,
    /// Whole floats become integers; others are refused.
    Int,
    /// Integers become floats where that is exact.
    Float,
    /// As `Float`, rounded to binary32.
    Float32,
}

/// The integers of a `format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntFormat {
    pub name: &'static str,
    pub min: i128,
    pub max: i128,
}

impl IntFormat {
    pub(crate) fn named(name: &str) -> Option<Self> {
        const fn signed(name: &'static str, bits: u32) -> IntFormat {
            IntFormat { name, min: -(1 << (bits - 1)), max: (1 << (bits - 1)) - 1 }
        }
        const fn unsigned(name: &'static str, bits: u32) -> IntFormat {
            IntFormat { name, min: 0, max: (1 << bits) - 1 }
        }
        const FORMATS: [IntFormat; 8] = [
            signed("int8", 8),
            signed("int16", 16),
            signed("int32", 32),
            signed("int64", 64),
            unsigned("uint8", 8),
            unsigned("uint16", 16),
            unsigned("uint32", 32),
            unsigned("uint64", 64),
        ];
        FORMATS.into_iter().find(|f| f.name == name)
    }
}

/// What one place of a schema admits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// Kinds that are admitted at all.
    pub kinds: u16,
    /// Kinds that pass without a look.
    pub plain: u16,
    /// Integers of this range pass without a further look; an empty range if none do.
    pub int_min: i64,
    pub int_max: i64,
    /// The same for finite floats.
    pub float_min: f64,
    pub float_max: f64,
    /// The same for strings, by their bytes.
    pub str_min: usize,
    pub str_max: usize,
    /// What the reader is asked for in this place: values, but for the special nodes.
    pub demand: Demand,
    pub number: NumberAs,
    pub int_format: Option<IntFormat>,
    pub numbers: Option<Box<NumberRules>>,
    pub text: Option<Box<TextRules>>,
    pub array: Option<Box<ArrayRules>>,
    pub map: MapRules,
    /// The member that stands for an unknown one.
    pub fallback: Option<Box<Value>>,
    /// Kinds of which only some values are admitted, by `enum` or `const`.
    pub enumerated: u16,
    /// JSON Pointer of the place in the document.
    pub at: Box<str>,
}

/// What is asked of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrayRules {
    pub prefix: Vec<NodeId>,
    /// The elements after the prefix.
    pub items: NodeId,
    pub min: usize,
    pub max: Option<usize>,
}

/// What is asked of a map.
#[derive(Clone, Debug, Default)]
pub(crate) enum MapRules {
    /// Nothing.
    #[default]
    Any,
    /// Every value is of one type.
    Of(Box<MapOf>),
    /// Named fields.
    Record(Box<Record>),
    /// One of several records.
    Union(Box<Union>),
}

/// A map from keys to values of one type.
#[derive(Clone, Debug)]
pub(crate) struct MapOf {
    pub keys: Keys,
    pub value: NodeId,
    pub min: usize,
    pub max: Option<usize>,
}

/// The keys of a map.
#[derive(Clone, Debug)]
pub(crate) enum Keys {
    /// Any string.
    Any,
    /// Strings that a node admits.
    Str(NodeId),
    /// Integers: as such in MessagePack, as digits in JSON.
    Int(NodeId),
}

/// What becomes of a field that a record does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// It is unknown: the option decides.
    Unknown,
    /// It is an error.
    Closed,
    /// It is of a type.
    Typed(NodeId),
}

/// A map with named fields.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub fields: Vec<Field>,
    /// Names and aliases, sorted by length and bytes; the number is the field's.
    pub names: Vec<(Box<str>, u32)>,
    pub extra: Extra,
    pub reserved: Vec<Box<str>>,
    /// Of the first 64 fields, those whose absence means something: required ones and those with a default.
    pub must: u64,
    pub min: usize,
    pub max: Option<usize>,
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: Box<str>,
    pub ascii: bool,
    pub node: NodeId,
    pub required: bool,
    pub default: Option<Box<Value>>,
    pub aliases: Vec<Box<str>>,
    pub id: Option<u32>,
}

impl Record {
    /// The field of a name or alias.
    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        let order = |n: &str| n.len().cmp(&name.len()).then_with(|| n.as_bytes().cmp(name));
        self.names.binary_search_by(|(n, _)| order(n)).ok().map(|i| self.names[i].1 as usize)
    }

    pub(crate) fn is_reserved(&self, name: &[u8]) -> bool {
        self.reserved.iter().any(|r| r.as_bytes() == name)
    }

    /// Fills in what is looked up, after the fields are complete.
    pub(crate) fn index(&mut self) {
        self.names = self
            .fields
            .iter()
            .enumerate()
            .flat_map(|(i, f)| core::iter::once(&f.name).chain(&f.aliases).map(move |n| (n.clone(), i as u32)))
            .collect();
        self.names.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes())));
        self.must = 0;
        for (i, f) in self.fields.iter().enumerate().take(64) {
            if f.required || f.default.is_some() {
                self.must |= 1 << i;
            }
        }
    }
}

/// Records told apart by a property.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    pub tag: Box<str>,
    /// The tag's value and the node of the record, sorted by the value.
    pub arms: Vec<(Box<str>, NodeId)>,
    /// The arm that stands for an unknown one.
    pub fallback: Option<u32>,
}

impl Union {
    pub(crate) fn find(&self, tag: &str) -> Option<usize> {
        self.arms.binary_search_by(|(t, _)| (**t).cmp(tag)).ok()
    }
}

/// Nodes with a meaning of their own.
pub(crate) const ANY: NodeId = 0;
/// A value that nobody wants.
pub(crate) const SKIP: NodeId = 1;
/// A value wanted as its bytes.
pub(crate) const RAW: NodeId = 2;
/// The tag of a union.
pub(crate) const TAG: NodeId = 3;
/// A host's value that is recorded until it can be judged.
pub(crate) const RECORD: NodeId = 4;
/// How many special nodes there are.
pub(crate) const SPECIAL: usize = 5;

/// A compiled schema.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub nodes: Vec<Node>,
    pub root: NodeId,
    /// Some map has keys that are integers.
    pub int_keys: bool,
    pub version: Option<Box<str>>,
}

impl Node {
    pub(crate) fn any() -> Self {
        let mut node = Node { kinds: kind::ALL, ..Node::default() };
        node.finish();
        node
    }

    pub(crate) fn special() -> [Node; SPECIAL] {
        let none = |demand| {
            let mut node = Node { demand, ..Node::default() };
            node.finish();
            node
        };
        [Node::any(), none(Demand::Skip), none(Demand::Raw), none(Demand::Value), none(Demand::Value)]
    }

    /// Fills in the ways without a look.
    pub(crate) fn finish(&mut self) {
        use kind::*;
        let rules = self.numbers.as_deref();
        let mut plain = self.kinds & (NULL | BOOL | EXT | BIN | TIME);
        let only_bounds = rules.is_none_or(|r| r.one_of.is_none() && r.multiple_of.is_none());
        (self.int_min, self.int_max) = (1, 0);
        (self.float_min, self.float_max) = (1.0, 0.0);
        (self.str_min, self.str_max) = (1, 0);
        if self.kinds & INT != 0 && matches!(self.number, NumberAs::Int | NumberAs::Same) && only_bounds {
            let (low, high) = rules.map_or((None, None), NumberRules::int_range);
            let (mut low, mut high) = (low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX));
            if let Some(format) = self.int_format {
                low = low.max(format.min);
                high = high.min(format.max);
            }
            let (min, max) = (i128::from(i64::MIN), i128::from(i64::MAX));
            if low <= high && low <= max && high >= min {
                self.int_min = low.max(min) as i64;
                self.int_max = high.min(max) as i64;
            }
            if low <= max + 1 && high >= i128::from(u64::MAX) {
                plain |= self.kinds & UINT;
            }
            if rules.is_none() && self.int_format.is_none() {
                plain |= self.kinds & BIGINT;
            }
        }
        if self.kinds & FLOAT != 0 && matches!(self.number, NumberAs::Float | NumberAs::Same) && only_bounds {
            match rules {
                None => plain |= FLOAT,
                Some(rules) => (self.float_min, self.float_max) = rules.float_range(),
            }
        }
        if plain & FLOAT != 0 {
            (self.float_min, self.float_max) = (f64::MIN, f64::MAX);
        }
        if self.kinds & STR != 0 {
            match self.text.as_deref() {
                None => {
                    plain |= STR;
                    (self.str_min, self.str_max) = (0, usize::MAX);
                }
                Some(rules) => (self.str_min, self.str_max) = rules.byte_range(),
            }
        }
        if self.array.is_none() {
            plain |= self.kinds & ARRAY;
        }
        if matches!(self.map, MapRules::Any) {
            plain |= self.kinds & MAP;
        }
        self.plain = plain;
    }

    /// The kinds' names, for messages.
    pub(crate) fn expected(&self) -> alloc::string::String {
        use kind::*;
        if self.kinds == 0 {
            return "no value".into();
        }
        let number = if self.number == NumberAs::Int { "int" } else { "number" };
        let names: [(u16, &str); 10] = [
            (NULL, "null"),
            (BOOL, "bool"),
            (INTS, if self.kinds & FLOAT == 0 { "int" } else { number }),
            (FLOAT, if self.kinds & INTS == 0 { "float" } else { "" }),
            (STR, "str"),
            (BIN, "bin"),
            (TIME, "timestamp"),
            (EXT, "ext"),
            (ARRAY, "array"),
            (MAP, "map"),
        ];
        let list: Vec<&str> =
            names.iter().filter(|(bits, name)| self.kinds & bits != 0 && !name.is_empty()).map(|(_, n)| *n).collect();
        list.join(" or ")
    }
}
