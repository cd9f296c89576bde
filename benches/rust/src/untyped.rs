//! Without types: trees, validation, and transcoding from one format to the other.

use serde::de::IgnoredAny;

use crate::harness::{Cell, Race};
use crate::ours::{self, Format};
use crate::payload::{Payload, leak, leak_all};

type Inputs = &'static [&'static [u8]];
type Tree = serde_json::Value;

fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}").chars().take(120).collect()
}

pub fn cells(race: &mut Race, p: &Payload) {
    let trees: &'static [Tree] = leak_all(p.json.iter().map(|d| serde_json::from_slice(d).expect("payload")).collect());
    let msgpack = leak_all(trees.iter().map(|v| leak(rmp_serde::to_vec_named(v).expect("encodes"))).collect());
    value_msgpack(race, p, msgpack, trees);
    value_json(race, p, trees);
    validate(race, p, msgpack);
    to_json(race, p, msgpack, trees);
    to_msgpack(race, p, trees);
}

/// Whether a serde tree holds the payload: by way of JSON text, since the trees have different types.
fn same(tree: &impl serde::Serialize, want: &Tree) -> bool {
    serde_json::to_vec(tree).is_ok_and(|t| serde_json::from_slice::<Tree>(&t).is_ok_and(|t| t == *want))
}

fn value_msgpack(race: &mut Race, p: &Payload, data: Inputs, trees: &'static [Tree]) {
    let op = "msgpack value";
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, data);
    cell.add(
        "samewire",
        data,
        |d| ours::value(Format::MessagePack, d),
        |i, v| ours::tree(v).as_ref() == Some(&trees[i]),
    );
    cell.add("rmpv", data, |d| rmpv::decode::read_value(&mut &d[..]).map_err(debug), |i, v| same(v, &trees[i]));
    cell.add(
        "rmpv-ref",
        data,
        |d| rmpv::decode::read_value_ref(&mut &d[..]).map_err(debug),
        |i, v| same(&v.to_owned(), &trees[i]),
    );
    cell.add(
        "rmp-serde → serde_json::Value",
        data,
        |d| rmp_serde::from_slice::<Tree>(d).map_err(debug),
        |i, v| *v == trees[i],
    );
    // zerompk's Value writes itself only as MessagePack.
    let right = |i: usize, v: &zerompk::Value| {
        zerompk::to_msgpack_vec(v).is_ok_and(|b| rmp_serde::from_slice::<Tree>(&b).is_ok_and(|t| t == trees[i]))
    };
    cell.add("zerompk", data, |d| zerompk::from_msgpack::<zerompk::Value>(d).map_err(debug), right);
    race.run(cell);
}

fn value_json(race: &mut Race, p: &Payload, trees: &'static [Tree]) {
    let op = "json value";
    if !race.wants(op, &p.name) {
        return;
    }
    let data = p.json;
    let mut cell = Cell::new(op, &p.name, p.key, data);
    cell.add("samewire", data, |d| ours::value(Format::Json, d), |i, v| ours::tree(v).as_ref() == Some(&trees[i]));
    cell.add("serde_json", data, |d| serde_json::from_slice::<Tree>(d).map_err(debug), |i, v| *v == trees[i]);
    cell.add(
        "sonic-rs",
        data,
        |d| sonic_rs::from_slice::<sonic_rs::Value>(d).map_err(debug),
        |i, v| same(v, &trees[i]),
    );
    cell.add(
        "flexon",
        data,
        |d| flexon::parse::<_, flexon::OwnedValue>(std::str::from_utf8(d).map_err(debug)?).map_err(debug),
        |i, v| same(v, &trees[i]),
    );
    cell.add(
        "simd-json",
        data,
        |d| simd_json::to_owned_value(&mut d.to_vec()).map_err(debug),
        |i, v| same(v, &trees[i]),
    );
    race.run(cell);
}

fn validate(race: &mut Race, p: &Payload, msgpack: Inputs) {
    if race.wants("msgpack validate", &p.name) {
        let mut cell = Cell::new("msgpack validate", &p.name, false, msgpack);
        cell.add("samewire", msgpack, |d| ours::validate(Format::MessagePack, d), |_, _| true);
        cell.add("rmp-serde", msgpack, |d| rmp_serde::from_slice::<IgnoredAny>(d).map_err(debug), |_, _| true);
        race.run(cell);
    }
    if race.wants("json validate", &p.name) {
        let mut cell = Cell::new("json validate", &p.name, false, p.json);
        cell.add("samewire", p.json, |d| ours::validate(Format::Json, d), |_, _| true);
        cell.add("serde_json", p.json, |d| serde_json::from_slice::<IgnoredAny>(d).map_err(debug), |_, _| true);
        cell.add("sonic-rs", p.json, |d| sonic_rs::from_slice::<IgnoredAny>(d).map_err(debug), |_, _| true);
        cell.add("flexon", p.json, |d| flexon::from_slice::<IgnoredAny>(d).map_err(debug), |_, _| true);
        race.run(cell);
    }
}

fn to_json(race: &mut Race, p: &Payload, data: Inputs, trees: &'static [Tree]) {
    let op = "msgpack to json";
    if !race.wants(op, &p.name) {
        return;
    }
    let mut cell = Cell::new(op, &p.name, p.key, data);
    let right = |i: usize, v: &Vec<u8>| serde_json::from_slice::<Tree>(v).is_ok_and(|t| t == trees[i]);
    cell.add("samewire", data, |d| ours::transcode(Format::MessagePack, d), right);
    cell.add("rmpv, serde_json", data, |d| serde_json::to_vec(&rmpv(d)?).map_err(debug), right);
    cell.add("rmpv, sonic-rs", data, |d| sonic_rs::to_vec(&rmpv(d)?).map_err(debug), right);
    cell.add(
        "serde-transcode: rmp-serde, serde_json",
        data,
        |d| {
            let mut out = Vec::with_capacity(d.len() * 2);
            let mut reader = rmp_serde::Deserializer::from_read_ref(*d);
            serde_transcode::transcode(&mut reader, &mut serde_json::Serializer::new(&mut out)).map_err(debug)?;
            Ok(out)
        },
        right,
    );
    cell.add(
        "serde-transcode: rmp-serde, sonic-rs",
        data,
        |d| {
            let mut out = Vec::with_capacity(d.len() * 2);
            let mut reader = rmp_serde::Deserializer::from_read_ref(*d);
            serde_transcode::transcode(&mut reader, &mut sonic_rs::Serializer::new(&mut out)).map_err(debug)?;
            Ok(out)
        },
        right,
    );
    race.run(cell);
}

fn rmpv(data: &[u8]) -> Result<rmpv::Value, String> {
    rmpv::decode::read_value(&mut &data[..]).map_err(debug)
}

fn to_msgpack(race: &mut Race, p: &Payload, trees: &'static [Tree]) {
    let op = "json to msgpack";
    if !race.wants(op, &p.name) {
        return;
    }
    let data = p.json;
    let mut cell = Cell::new(op, &p.name, p.key, data);
    let right = |i: usize, v: &Vec<u8>| rmp_serde::from_slice::<Tree>(v).is_ok_and(|t| t == trees[i]);
    cell.add("samewire", data, |d| ours::transcode(Format::Json, d), right);
    cell.add(
        "serde_json, rmp-serde",
        data,
        |d| rmp_serde::to_vec_named(&serde_json::from_slice::<Tree>(d).map_err(debug)?).map_err(debug),
        right,
    );
    cell.add(
        "sonic-rs, rmp-serde",
        data,
        |d| rmp_serde::to_vec_named(&sonic_rs::from_slice::<sonic_rs::Value>(d).map_err(debug)?).map_err(debug),
        right,
    );
    // A map written without knowing its length: rmp-serde collects it first.
    cell.add(
        "serde-transcode: serde_json, rmp-serde",
        data,
        |d| {
            let mut out = Vec::with_capacity(d.len());
            let mut reader = serde_json::Deserializer::from_slice(d);
            serde_transcode::transcode(&mut reader, &mut rmp_serde::Serializer::new(&mut out)).map_err(debug)?;
            Ok(out)
        },
        right,
    );
    cell.add(
        "serde-transcode: sonic-rs, rmp-serde",
        data,
        |d| {
            let mut out = Vec::with_capacity(d.len());
            let mut reader = sonic_rs::Deserializer::from_slice(d);
            serde_transcode::transcode(&mut reader, &mut rmp_serde::Serializer::new(&mut out)).map_err(debug)?;
            Ok(out)
        },
        right,
    );
    race.run(cell);
}
