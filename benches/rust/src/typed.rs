//! Decoding into and encoding from serde types, both formats.

use prost::Message;
use serde::{Deserialize, Serialize};
use zerompk::{FromMessagePack, ToMessagePack};

use crate::harness::{Cell, Race};
use crate::payload::{self, Payload, leak, leak_all};
use crate::protobuf::Twin;

/// What a payload's type must be able to do. `'static`, because the inputs live as long as the process.
pub trait Typed:
    Serialize + Deserialize<'static> + FromMessagePack<'static> + ToMessagePack + PartialEq + 'static
{
}
impl<T: Serialize + Deserialize<'static> + FromMessagePack<'static> + ToMessagePack + PartialEq + 'static> Typed for T {}

type Inputs = &'static [&'static [u8]];

fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}").chars().take(120).collect()
}

/// The cells of one payload: decode (owned, borrowed, reordered, with unknown fields) and encode.
pub fn cells<O: Typed + Twin, B: Typed>(race: &mut Race, p: &Payload, all_structs: bool) {
    let owned: &'static [O] = values(p.json);
    let borrowed: &'static [B] = values(p.json);
    let msgpack = leak_all(owned.iter().map(|v| leak(rmp_serde::to_vec_named(v).expect("encodes"))).collect());

    decode_msgpack(race, "msgpack decode", p, msgpack, owned, |cell| decode_protobuf(cell, owned));
    decode_msgpack(race, "msgpack decode borrowed", p, msgpack, borrowed, |_| ());
    decode_json(race, "json decode", p, p.json, owned, true);
    decode_json(race, "json decode borrowed", p, p.json, borrowed, false);
    if all_structs {
        for (variant, ops) in [
            (payload::reordered(p.json), ["msgpack decode reordered", "json decode reordered"]),
            (payload::with_unknown_fields(p.json), ["msgpack decode unknown", "json decode unknown"]),
        ] {
            let json = leak_all(variant.iter().map(|v| leak(serde_json::to_vec(v).expect("encodes"))).collect());
            let msgpack =
                leak_all(variant.iter().map(|v| leak(rmp_serde::to_vec_named(v).expect("encodes"))).collect());
            decode_msgpack(race, ops[0], p, msgpack, owned, |_| ());
            decode_json(race, ops[1], p, json, owned, true);
        }
    }
    encode_msgpack(race, p, msgpack, owned);
    encode_json(race, p, owned);
}

fn values<T: Typed>(json: Inputs) -> &'static [T] {
    leak_all(json.iter().map(|d| serde_json::from_slice(d).expect("the model fits the payload")).collect())
}

fn decode_msgpack<T: Typed>(
    race: &mut Race,
    op: &'static str,
    p: &Payload,
    data: Inputs,
    want: &'static [T],
    more: impl Fn(&mut Cell),
) {
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, data);
    let right = |i: usize, v: &T| *v == want[i];
    cell.add("samewire", data, |d| crate::ours::decode::<T>(samewire::Format::MessagePack, d), right);
    cell.add("rmp-serde", data, |d| rmp_serde::from_slice::<T>(d).map_err(debug), right);
    cell.add("zerompk", data, |d| zerompk::from_msgpack::<T>(d).map_err(debug), right);
    if op == "msgpack decode" && cell.failed.contains_key("zerompk") {
        // It refuses an unsigned header for a signed field, which other writers use; its own bytes it reads.
        let own = want.iter().map(|v| leak(zerompk::to_msgpack_vec(v).expect("encodes"))).collect();
        cell.add("~zerompk, its own bytes", leak_all(own), |d| zerompk::from_msgpack::<T>(d).map_err(debug), right);
    }
    more(&mut cell);
    race.run(cell);
}

fn decode_json<T: Typed>(
    race: &mut Race,
    op: &'static str,
    p: &Payload,
    data: Inputs,
    want: &'static [T],
    owned: bool,
) {
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, data);
    let right = |i: usize, v: &T| *v == want[i];
    cell.add("samewire", data, |d| crate::ours::decode::<T>(samewire::Format::Json, d), right);
    cell.add("serde_json", data, |d| serde_json::from_slice::<T>(d).map_err(debug), right);
    cell.add("sonic-rs", data, |d| sonic_rs::from_slice::<T>(d).map_err(debug), right);
    cell.add("flexon", data, |d| flexon::from_slice::<T>(d).map_err(debug), right);
    if owned {
        // simd-json parses in place, so its input is copied first, as a caller who keeps the bytes would; what it gives
        // borrows from the copy, hence only for owned types.
        cell.add("simd-json", data, |d| simd_owned::<T>(d), right);
    }
    race.run(cell);
}

fn simd_owned<T: Typed>(data: &'static [u8]) -> Result<T, String> {
    let mut copy = data.to_vec();
    let slice: &mut [u8] = &mut copy;
    // SAFETY: only called for types that own all their data (`owned` above), so nothing in the result refers to the copy
    // when it is freed; the longer lifetime exists only to name `Deserialize<'static>`.
    let slice: &'static mut [u8] = unsafe { &mut *(slice as *mut [u8]) };
    simd_json::serde::from_slice(slice).map_err(debug)
}

fn encode_msgpack<T: Typed + Twin>(race: &mut Race, p: &Payload, data: Inputs, values: &'static [T]) {
    let op = "msgpack encode";
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, data);
    // Read back by the reference: bytes may differ only in what the format leaves open.
    let right = |i: usize, v: &Vec<u8>| rmp_serde::from_slice::<T>(leak(v.clone())).is_ok_and(|v| v == values[i]);
    cell.add("samewire", values, |v| crate::ours::encode(samewire::Format::MessagePack, v), right);
    cell.add("rmp-serde", values, |v| rmp_serde::to_vec_named(v).map_err(debug), right);
    cell.add("zerompk", values, |v| zerompk::to_msgpack_vec(v).map_err(debug), right);
    encode_protobuf(&mut cell, values);
    race.run(cell);
}

fn encode_json<T: Typed>(race: &mut Race, p: &Payload, values: &'static [T]) {
    let op = "json encode";
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, p.json);
    let right = |i: usize, v: &Vec<u8>| serde_json::from_slice::<T>(leak(v.clone())).is_ok_and(|v| v == values[i]);
    cell.add("samewire", values, |v| crate::ours::encode(samewire::Format::Json, v), right);
    cell.add("serde_json", values, |v| serde_json::to_vec(v).map_err(debug), right);
    cell.add("sonic-rs", values, |v| sonic_rs::to_vec(v).map_err(debug), right);
    cell.add("flexon", values, |v| flexon::to_vec(v).map_err(debug), right);
    cell.add("simd-json", values, |v| simd_json::serde::to_vec(v).map_err(debug), right);
    race.run(cell);
}

fn decode_protobuf<T: Twin>(cell: &mut Cell, values: &[T]) {
    let twins: Vec<T::Message> = values.iter().map(Twin::twin).collect();
    if twins[0].encoded_len() > 0 {
        let data = leak_all(twins.iter().map(|m| leak(m.encode_to_vec())).collect());
        cell.add("~prost", data, |d| T::Message::decode(*d).map_err(debug), |i, m| *m == twins[i]);
    }
}

fn encode_protobuf<T: Twin>(cell: &mut Cell, values: &[T]) {
    let twins: &'static [T::Message] = leak_all(values.iter().map(Twin::twin).collect());
    if twins[0].encoded_len() > 0 {
        let right = |i: usize, d: &Vec<u8>| T::Message::decode(&d[..]).is_ok_and(|m| m == twins[i]);
        cell.add("~prost", twins, |m| Ok(m.encode_to_vec()), right);
    }
}
