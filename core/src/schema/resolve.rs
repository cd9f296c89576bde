//! The adapter between a reader and a visitor, or a host's walker and a writer, that makes both keep to a
//! schema. Scalars here, arrays and maps in `containers`.
//!
//! It knows which node of the program the next value belongs to, and no tree is built. A value that passes
//! without a look costs a comparison or two.

use alloc::string::String;

use super::absent::Absent;
use super::model::*;
use super::number::{Decimal, Num, Refusal};
use super::recorder::Recorder;
use super::refusal::*;
use super::starts::Starts;
use crate::base64;
use crate::error::{Code, Error};
use crate::format::Format;
use crate::options::{BinJson, Float32, MapKeys, Options, UnknownFields};
use crate::time::Timestamp;
use crate::value::Value;
use crate::visit::{Constant, Demand, Text, Visitor};

/// The values come from MessagePack.
pub(crate) const MSGPACK: u8 = 0;
/// The values come from JSON: timestamps and bin are strings.
pub(crate) const JSON: u8 = 1;
/// The values come from a host and go to a writer.
pub(crate) const HOST: u8 = 2;

/// Keeps what passes from `FROM` to `V` to a schema.
pub struct Adapter<'s, 'v, V: Visitor, const FROM: u8> {
    pub(crate) program: &'s Program,
    pub(crate) inner: &'v mut V,
    /// Where the next value belongs.
    pub(crate) next: &'s Node,
    pub(crate) input: &'s [u8],
    pub(crate) options: &'s Options,
    /// The writer's format, for a host's values.
    pub(crate) to: Format,
    /// Unknown fields so far.
    pub(crate) unknown: usize,
    /// The last key is a field, whose second coming would be noticed here.
    pub(crate) judged: bool,
    /// The inner visitor's key that was made in another form than the data's.
    pub(crate) parked: Option<V::Key>,
    /// The last raw value, as a range of `input`.
    pub(crate) raw: (usize, usize),
    /// The union whose tag is next, and the arm that the last tag named.
    pub(crate) union: Option<&'s Union>,
    pub(crate) arm: usize,
    /// How many defaults may still be filled in.
    pub(crate) fill: usize,
    /// How many more unions inside each other may have their tag after other fields.
    pub(crate) replays: u32,
    pub(crate) recorder: Recorder,
    /// The entries written to the open records of a host.
    pub(crate) starts: Starts,
}

/// What the adapter returns for each value.
pub(crate) type Passed<V> = <<V as Visitor>::Value as Absent>::OrAbsent;

/// Writing: checks a host's values and puts fields into the schema's order. A visitor over a writer.
pub type Writing<'s, 'v, V> = Adapter<'s, 'v, V, HOST>;

/// Integers up to here are exact as binary64.
const EXACT: u64 = 1 << 53;

impl<'s, 'v, V: Visitor<Value: Absent>, const FROM: u8> Adapter<'s, 'v, V, FROM> {
    pub(crate) fn new(
        program: &'s Program,
        root: NodeId,
        inner: &'v mut V,
        input: &'s [u8],
        options: &'s Options,
        to: Format,
    ) -> Self {
        Adapter {
            program,
            inner,
            next: &program.nodes[root as usize],
            input,
            options,
            to,
            unknown: 0,
            judged: false,
            parked: None,
            raw: (0, 0),
            union: None,
            arm: 0,
            fill: usize::MAX,
            replays: 32,
            recorder: Recorder::default(),
            starts: Starts::new(),
        }
    }

    /// Fields so far that the schema does not know: for the metrics.
    pub fn unknown_fields(&self) -> usize {
        self.unknown
    }

    #[inline(always)]
    pub(crate) fn node(&self, id: NodeId) -> &'s Node {
        &self.program.nodes[id as usize]
    }

    #[inline]
    pub(crate) fn is(&self, special: NodeId) -> bool {
        core::ptr::eq(self.next, self.node(special))
    }

    /// Takes a value for the recorder if that is what is wanted.
    pub(crate) fn records(&mut self, value: impl FnOnce() -> Value) -> bool {
        let yes = self.is(RECORD);
        if yes {
            self.recorder.push(value());
        }
        yes
    }

    /// The fallback instead of an unknown member, or the error.
    #[cold]
    #[inline(never)]
    fn fall_back(&mut self, refusal: Refusal, found: &dyn core::fmt::Display) -> Result<Passed<V>, Error> {
        if FROM != HOST
            && refusal == Refusal::Variant
            && let Some(member) = &self.next.fallback
        {
            return member.visit(self);
        }
        Err(refused(refusal, found))
    }

    #[inline(never)]
    fn int_checked(&mut self, value: i64) -> Result<Passed<V>, Error> {
        let node = self.next;
        if node.kinds & kind::INT == 0 {
            return if self.records(|| Value::Int(value)) {
                Ok(V::Value::absent())
            } else {
                Err(mismatch(node, "int"))
            };
        }
        if let Some(format) = node.int_format
            && !(format.min..=format.max).contains(&i128::from(value))
        {
            return Err(int_out_of_range(&value, format.name));
        }
        // What is rounded is judged by what it becomes, so that what was written can be read.
        let number = if node.number == NumberAs::Float32 { Num::Single(value as f32) } else { Num::Int(value) };
        if let Some(rules) = &node.numbers
            && let Err(refusal) = rules.check(number)
        {
            return self.fall_back(refusal, &value);
        }
        match node.number {
            NumberAs::Int | NumberAs::Same => self.inner.int(value).map(Absent::present),
            NumberAs::Float => {
                let float = value as f64;
                // i64::MAX rounds to 2^63, which is no i64: the comparison in i128 is exact.
                if float as i128 != i128::from(value) {
                    return Err(number_out_of_range(&value, "is not exact as a binary64"));
                }
                self.inner.float(float).map(Absent::present)
            }
            NumberAs::Float32 => {
                let float = value as f32;
                if FROM == MSGPACK && float as i128 != i128::from(value) && self.options.float32 == Float32::Error {
                    return Err(number_out_of_range(&value, "is not exact as a binary32"));
                }
                self.inner.float32(float).map(Absent::present)
            }
        }
    }

    /// An integer beyond `i64`: `digits` is all of it, `value` too if it is a u64.
    #[inline(never)]
    fn large_int(&mut self, value: Option<u64>, digits: &str) -> Result<Passed<V>, Error> {
        let node = self.next;
        let (kind, number) = match value {
            Some(v) => (kind::UINT, Num::Uint(v)),
            None => (kind::BIGINT, Num::Big(digits)),
        };
        if node.kinds & kind == 0 {
            let record = || value.map_or_else(|| Value::BigInt(digits.into()), Value::Uint);
            return if self.records(record) { Ok(V::Value::absent()) } else { Err(mismatch(node, "int")) };
        }
        if let Some(format) = node.int_format
            && value.is_none_or(|v| i128::from(v) > format.max)
        {
            return Err(int_out_of_range(&digits, format.name));
        }
        let number = if node.number == NumberAs::Float32 {
            Num::Single(digits.parse().unwrap_or(f32::INFINITY))
        } else {
            number
        };
        if let Some(rules) = &node.numbers
            && let Err(refusal) = rules.check(number)
        {
            return self.fall_back(refusal, &digits);
        }
        match node.number {
            NumberAs::Int | NumberAs::Same => match value {
                Some(v) => self.inner.uint(v).map(Absent::present),
                None => self.inner.bigint(digits).map(Absent::present),
            },
            NumberAs::Float => {
                let float: f64 = digits.parse().unwrap_or(f64::INFINITY);
                if float.is_infinite() || alloc::format!("{float:.0}") != digits {
                    return Err(number_out_of_range(&digits, "is not exact as a binary64"));
                }
                self.inner.float(float).map(Absent::present)
            }
            NumberAs::Float32 => {
                let float: f32 = digits.parse().unwrap_or(f32::INFINITY);
                if float.is_infinite() {
                    return Err(number_out_of_range(&digits, "is beyond the range of binary32"));
                }
                if FROM == MSGPACK && alloc::format!("{float:.0}") != digits && self.options.float32 == Float32::Error {
                    return Err(number_out_of_range(&digits, "is not exact as a binary32"));
                }
                self.inner.float32(float).map(Absent::present)
            }
        }
    }

    /// A float that needs a look; `text` is what JSON wrote.
    #[inline(never)]
    fn float_checked(&mut self, value: f64, text: Option<&str>) -> Result<Passed<V>, Error> {
        let node = self.next;
        if node.kinds & kind::FLOAT == 0 {
            return if self.records(|| Value::Float(value)) {
                Ok(V::Value::absent())
            } else {
                Err(mismatch(node, "float"))
            };
        }
        if node.number == NumberAs::Int {
            return self.whole(value, text);
        }
        if value.is_infinite()
            && let Some(text) = text
            && !(V::DECIMALS && node.number != NumberAs::Float32)
        {
            return Err(number_out_of_range(&text, "is beyond the range of binary64"));
        }
        let rounded = if node.number == NumberAs::Float32 { Some(self.to_float32(value, text)?) } else { None };
        let number = rounded.map_or(Num::Float(value), Num::Single);
        if let Some(rules) = &node.numbers
            && let Err(refusal) = rules.check(number)
        {
            return self.fall_back(refusal, &text.map_or_else(|| alloc::format!("{value}"), String::from));
        }
        match (rounded, text) {
            (Some(float), _) => self.inner.float32(float).map(Absent::present),
            (None, Some(text)) if V::DECIMALS => self.inner.decimal(text, value).map(Absent::present),
            _ => self.inner.float(value).map(Absent::present),
        }
    }

    fn to_float32(&self, value: f64, text: Option<&str>) -> Result<f32, Error> {
        let mut float = value as f32;
        // Half way between two binary32, the binary64 may have been rounded there: the text decides.
        if let Some(text) = text
            && (value.to_bits() & 0x1fff_ffff == 0x1000_0000 || value.abs() < f64::from(f32::MIN_POSITIVE))
        {
            float = text.parse().unwrap_or(float);
        }
        if float.is_infinite() && value.is_finite() {
            return Err(number_out_of_range(&value, "is beyond the range of binary32"));
        }
        if FROM == MSGPACK && f64::from(float) != value && !value.is_nan() && self.options.float32 == Float32::Error {
            return Err(number_out_of_range(&value, "is not exact as a binary32 (option float32 rounds)"));
        }
        Ok(float)
    }

    /// A float where the schema has an integer: the integer if it is whole.
    fn whole(&mut self, value: f64, text: Option<&str>) -> Result<Passed<V>, Error> {
        let exact = value.abs() < EXACT as f64;
        let negative_zero = value == 0.0 && value.is_sign_negative();
        if exact {
            let int = value as i64;
            if int as f64 != value || negative_zero {
                return Err(mismatch(self.next, "float"));
            }
            return self.int(int);
        }
        // Beyond 2^53 a JSON number's own digits count, not those of the nearest binary64.
        let decimal = match text {
            Some(text) => Some(Decimal::parse(text)),
            None => Num::Float(value).decimal(),
        };
        let Some(decimal) = decimal.filter(Decimal::is_integer) else {
            return Err(mismatch(self.next, "float"));
        };
        if let Some(v) = decimal.to_i128() {
            if let Ok(v) = i64::try_from(v) {
                return self.int(v);
            }
            if let Ok(v) = u64::try_from(v) {
                return self.uint(v);
            }
        }
        if decimal.digit_count() > 400 {
            return Err(number_out_of_range(&decimal.text(), "is beyond the range of binary64"));
        }
        self.bigint(&decimal.digits())
    }

    #[inline(never)]
    fn str_checked(&mut self, text: Text<'_>) -> Result<Passed<V>, Error> {
        let node = self.next;
        if node.kinds & kind::STR != 0 {
            let string = text.to_str()?;
            if let Some(rules) = &node.text
                && let Err(refusal) = rules.check(string)
            {
                return self.fall_back(refusal, &alloc::format!("{string:?}"));
            }
            return self.inner.str(Text::new(string)).map(Absent::present);
        }
        if FROM == JSON && node.kinds & kind::TIME != 0 {
            return self.inner.timestamp(Timestamp::parse(text.to_str()?)?).map(Absent::present);
        }
        if FROM == JSON && node.kinds & kind::BIN != 0 {
            return self.inner.bin(&base64::decode(text.bytes())?).map(Absent::present);
        }
        let string = text.to_str()?;
        if self.is(TAG) {
            return self.tag(string);
        }
        if self.records(|| Value::Str(string.into())) { Ok(V::Value::absent()) } else { Err(mismatch(node, "str")) }
    }

    fn tag(&mut self, tag: &str) -> Result<Passed<V>, Error> {
        let Some(union) = self.union else { return Ok(V::Value::absent()) };
        self.arm = match union.find(tag) {
            Some(arm) => arm,
            None => match union.fallback {
                Some(arm) if FROM != HOST => arm as usize,
                _ => return Err(unknown_variant(&alloc::format!("{tag:?}"))),
            },
        };
        Ok(V::Value::absent())
    }

    #[inline(never)]
    fn constant_checked(&mut self, value: Constant) -> Result<Passed<V>, Error> {
        let node = self.next;
        let (name, recorded) = match value {
            Constant::Null => ("null", Value::Null),
            Constant::False => ("bool", Value::Bool(false)),
            Constant::True => ("bool", Value::Bool(true)),
        };
        if self.records(|| recorded) {
            return Ok(V::Value::absent());
        }
        if value != Constant::Null && node.enumerated & kind::BOOL != 0 {
            return Err(unknown_variant(&(value == Constant::True)));
        }
        if self.is(TAG) {
            return Err(Error::new(Code::TypeMismatch, alloc::format!("expected the name of an arm, found {name}")));
        }
        Err(mismatch(node, name))
    }

    /// A kind that has no rules of its own.
    #[cold]
    #[inline(never)]
    fn other(&mut self, name: &'static str, value: impl FnOnce() -> Value) -> Result<Passed<V>, Error> {
        if self.records(value) { Ok(V::Value::absent()) } else { Err(mismatch(self.next, name)) }
    }

    /// Bin as text, where the writer would refuse it without a schema.
    fn bin_as_text(&mut self, bytes: &[u8]) -> Result<Passed<V>, Error> {
        let mut text = crate::buffer::Buffer::with_capacity(base64::encoded_len(bytes.len()));
        base64::encode(bytes, &mut text);
        self.inner.str(Text::unchecked(text.as_slice())).map(Absent::present)
    }
}

impl<'s, V: Visitor<Value: Absent>, const FROM: u8> Visitor for Adapter<'s, '_, V, FROM> {
    const FINDS_DUPLICATES: bool = false;
    const JUDGES_KEYS: bool = FROM != HOST;
    const DEMANDS: bool = FROM != HOST;
    const DECIMALS: bool = FROM == JSON || V::DECIMALS;

    /// `None` for a value that did not go to the inner visitor.
    type Value = Passed<V>;
    type Array = super::containers::Array<'s, V>;
    type Map = super::containers::Map<'s, V>;
    type Key = super::containers::Key<V::Key>;

    #[inline(always)]
    fn constant(&mut self, value: Constant) -> Result<Self::Value, Error> {
        if self.next.plain >> (value as u16) & 1 != 0 {
            return self.inner.constant(value).map(Absent::present);
        }
        self.constant_checked(value)
    }

    #[inline(always)]
    fn int(&mut self, value: i64) -> Result<Self::Value, Error> {
        let node = self.next;
        if value >= node.int_min && value <= node.int_max {
            return self.inner.int(value).map(Absent::present);
        }
        if node.number == NumberAs::Float && value.unsigned_abs() <= EXACT {
            let float = value as f64;
            if float >= node.float_min && float <= node.float_max {
                return self.inner.float(float).map(Absent::present);
            }
        }
        self.int_checked(value)
    }

    #[inline]
    fn uint(&mut self, value: u64) -> Result<Self::Value, Error> {
        if self.next.plain & kind::UINT != 0 {
            return self.inner.uint(value).map(Absent::present);
        }
        self.large_int(Some(value), &alloc::format!("{value}"))
    }

    #[inline]
    fn bigint(&mut self, digits: &str) -> Result<Self::Value, Error> {
        if self.next.plain & kind::BIGINT != 0 {
            return self.inner.bigint(digits).map(Absent::present);
        }
        self.large_int(None, digits)
    }

    #[inline(always)]
    fn float(&mut self, value: f64) -> Result<Self::Value, Error> {
        if value >= self.next.float_min && value <= self.next.float_max {
            return self.inner.float(value).map(Absent::present);
        }
        self.float_checked(value, None)
    }

    #[inline(always)]
    fn decimal(&mut self, text: &str, value: f64) -> Result<Self::Value, Error> {
        if !V::DECIMALS && value >= self.next.float_min && value <= self.next.float_max {
            return self.inner.float(value).map(Absent::present);
        }
        self.float_checked(value, Some(text))
    }

    #[inline(always)]
    fn str(&mut self, text: Text<'_>) -> Result<Self::Value, Error> {
        let n = text.bytes().len();
        if n >= self.next.str_min && n <= self.next.str_max {
            if !V::VALUES {
                text.to_str()?;
            }
            return self.inner.str(text).map(Absent::present);
        }
        self.str_checked(text)
    }

    #[inline]
    fn bin(&mut self, bytes: &[u8]) -> Result<Self::Value, Error> {
        if self.next.plain & kind::BIN != 0 {
            let typed = self.next.kinds & kind::STR == 0;
            if FROM == HOST && typed && self.to == Format::Json && self.options.bin_json == BinJson::Error {
                return self.bin_as_text(bytes);
            }
            return self.inner.bin(bytes).map(Absent::present);
        }
        self.other("bin", || Value::Bin(bytes.into()))
    }

    #[inline]
    fn timestamp(&mut self, value: Timestamp) -> Result<Self::Value, Error> {
        if self.next.plain & kind::TIME != 0 {
            return self.inner.timestamp(value).map(Absent::present);
        }
        self.other("timestamp", || Value::Timestamp(value))
    }

    #[inline]
    fn ext(&mut self, kind: i8, bytes: &[u8]) -> Result<Self::Value, Error> {
        if self.next.plain & kind::EXT != 0 {
            return self.inner.ext(kind, bytes).map(Absent::present);
        }
        self.other("ext", || Value::Ext(crate::ext::Ext { kind, data: bytes.into() }))
    }

    #[inline(always)]
    fn begin_array(&mut self, len: Option<usize>) -> Result<Self::Array, Error> {
        self.open_array(len)
    }
    #[inline(always)]
    fn element(&mut self, array: &mut Self::Array, value: Self::Value) -> Result<(), Error> {
        self.add_element(array, value)
    }
    #[inline(always)]
    fn end_array(&mut self, array: Self::Array) -> Result<Self::Value, Error> {
        self.close_array(array)
    }
    #[inline(always)]
    fn begin_map(&mut self, len: Option<usize>) -> Result<Self::Map, Error> {
        self.open_map(len)
    }
    #[inline(always)]
    fn key(&mut self, map: &mut Self::Map, text: Text<'_>) -> Result<Self::Key, Error> {
        self.take_key(map, text)
    }
    #[inline(always)]
    fn judged(&self) -> bool {
        self.judged
    }
    fn begin_value_key(&mut self, map: &mut Self::Map) -> Result<(), Error> {
        self.begin_other_key(map)
    }
    fn value_key(&mut self, map: &mut Self::Map, value: Self::Value) -> Result<Self::Key, Error> {
        self.take_other_key(map, value)
    }
    #[inline(always)]
    fn entry(&mut self, map: &mut Self::Map, key: Self::Key, value: Self::Value) -> Result<(), Error> {
        self.add_entry(map, key, value)
    }
    #[inline(always)]
    fn end_map(&mut self, map: Self::Map) -> Result<Self::Value, Error> {
        self.close_map(map)
    }

    #[inline(always)]
    fn demand(&mut self) -> Demand {
        self.next.demand
    }
    fn skipped(&mut self) -> Result<Self::Value, Error> {
        Ok(V::Value::absent())
    }
    fn raw(&mut self, bytes: &[u8]) -> Result<Self::Value, Error> {
        let start = bytes.as_ptr() as usize - self.input.as_ptr() as usize;
        self.raw = (start, bytes.len());
        Ok(V::Value::absent())
    }
    fn kept(&mut self, map: &mut Self::Map, field: crate::visit::Kept<'_>) -> Result<(), Error> {
        self.write_kept(map, field)
    }
}

/// The policy for keys that are not strings, for a reader under a schema: the adapter judges them, because
/// a field that is skipped may have any.
pub(crate) fn reader_keys(options: &Options) -> MapKeys {
    if options.map_keys == MapKeys::Str { MapKeys::Any } else { options.map_keys }
}

/// The policy for a writer: integers are written as keys where the schema has them.
pub(crate) fn writer_keys(program: &Program, options: &Options) -> MapKeys {
    if program.int_keys { reader_keys(options) } else { options.map_keys }
}

/// True if unknown fields are to be handed over.
pub(crate) fn keeps(options: &Options) -> bool {
    options.unknown_fields == UnknownFields::Keep
}
