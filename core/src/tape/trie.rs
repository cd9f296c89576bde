//! Keys and shapes: a trie whose edges are keys and whose nodes are the lists of keys on the way to them.
//!
//! Data repeats its keys in order, so the first child of a node, which is the one taken last, is nearly always
//! the next key: a repeated key costs one comparison, and the node where a map ends names its shape. A node is
//! never made for a key that is on the way to it already: duplicates are found once and never looked for again.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Area;
use super::define;
use super::packed::{LONGEST, Packed, equal};

/// Bounds on what keys that never repeat can cost here and in the host.
const MAX_NODES: usize = 4096;
const MAX_KEYS: usize = 4096;
const MAX_KEY_BYTES: usize = 128;
const MAX_DEPTH: u32 = 256;
/// Siblings compared before the careful search.
const QUICK: usize = 24;
/// Entries that found the trie full, until it starts anew: often enough that real shapes get in after junk,
/// seldom enough that junk costs little.
const PATIENCE: u32 = 1 << 16;

/// The node without keys.
pub const ROOT: u32 = 1;
/// Index of no node.
const NONE: u32 = 0;
const NO_SHAPE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    /// The whole key if it is short; otherwise its first bytes, and its length with the highest bit set.
    label: Packed,
    child: u32,
    sibling: u32,
    parent: u32,
    key: u32,
    shape: u32,
    depth: u32,
}

/// What a key leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The node after it.
    Node(u32),
    /// No node, and none can be made: the map is to go on without the trie.
    Full,
    /// The key is in the map already.
    Duplicate,
    /// The key is not UTF-8.
    Invalid,
}

/// The trie, with the ids that the host knows.
pub struct Trie {
    nodes: Vec<Node>,
    keys: Vec<Box<[u8]>>,
    /// Open addressing by hash: key ids plus one.
    index: Vec<u32>,
    shapes: u32,
    turned_away: u32,
}

impl Trie {
    pub fn new() -> Self {
        let mut trie = Trie {
            nodes: Vec::new(),
            keys: Vec::new(),
            index: alloc::vec![0; MAX_KEYS * 2],
            shapes: 0,
            turned_away: 0,
        };
        trie.clear();
        trie
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.index.fill(0);
        self.shapes = 0;
        self.turned_away = 0;
        // No key has this label, so that a missing child needs no test of its own.
        let label = Packed { low: u64::MAX, high: u64::MAX };
        let node = Node { label, child: NONE, sibling: NONE, parent: NONE, key: 0, shape: NO_SHAPE, depth: 0 };
        self.nodes.push(node);
        self.nodes.push(node);
    }

    /// Between messages: starts anew if the trie has been full for long.
    pub fn renew(&mut self, definitions: &mut Area) {
        if self.turned_away > PATIENCE {
            self.clear();
            push(definitions, &[define::RESET]);
        }
    }

    /// The bytes of the keys on the way to a node, last first.
    pub fn keys_of(&self, node: u32) -> impl Iterator<Item = &[u8]> {
        let mut node = node;
        core::iter::from_fn(move || {
            (node != ROOT).then(|| {
                let n = &self.nodes[node as usize];
                node = n.parent;
                &*self.keys[n.key as usize]
            })
        })
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn node(&self, index: u32) -> &Node {
        debug_assert!((index as usize) < self.nodes.len());
        // SAFETY: node indices come from this trie only, and it shrinks only between messages.
        unsafe { self.nodes.get_unchecked(index as usize) }
    }

    #[cfg_attr(not(samewire_smallest), inline(always))]
    fn is(&self, node: &Node, label: Packed, key: &[u8]) -> bool {
        node.label == label && (key.len() <= LONGEST || equal(&self.keys[node.key as usize], key))
    }

    /// The node after `key`, made if need be.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn step(&mut self, from: u32, key: &[u8], valid: bool, definitions: &mut Area) -> Step {
        let label = label(key);
        let child = self.node(from).child;
        if self.is(self.node(child), label, key) {
            return Step::Node(child);
        }
        self.search(from, label, key, valid, definitions)
    }

    #[inline(never)]
    fn search(&mut self, from: u32, label: Packed, key: &[u8], valid: bool, definitions: &mut Area) -> Step {
        let first = self.node(from).child;
        let mut steps = 0;
        let (mut before, mut at) = (NONE, first);
        while at != NONE {
            let node = *self.node(at);
            if self.is(&node, label, key) {
                if steps >= QUICK {
                    // Far down: to the front, so that the next search is short.
                    self.nodes[before as usize].sibling = node.sibling;
                    self.nodes[at as usize].sibling = first;
                    self.nodes[from as usize].child = at;
                }
                return Step::Node(at);
            }
            steps += 1;
            if steps == QUICK && self.index[self.slot(key)] == 0 {
                // In no node at all: among strangers' keys the walk would be long, and in vain.
                break;
            }
            (before, at) = (at, node.sibling);
        }
        self.add(from, label, key, valid, definitions)
    }

    #[cold]
    fn add(&mut self, from: u32, label: Packed, key: &[u8], valid: bool, definitions: &mut Area) -> Step {
        if !valid && core::str::from_utf8(key).is_err() {
            return Step::Invalid;
        }
        let slot = self.slot(key);
        let known = self.index[slot].checked_sub(1);
        if let Some(id) = known {
            let mut at = from;
            while at != ROOT {
                let node = self.node(at);
                if node.key == id {
                    return Step::Duplicate;
                }
                at = node.parent;
            }
        }
        let parent = *self.node(from);
        if self.nodes.len() >= MAX_NODES
            || key.len() > MAX_KEY_BYTES
            || parent.depth >= MAX_DEPTH
            || (known.is_none() && self.keys.len() >= MAX_KEYS)
        {
            return Step::Full;
        }
        let id = known.unwrap_or_else(|| {
            let id = self.keys.len() as u32;
            self.keys.push(key.into());
            self.index[slot] = id + 1;
            push(definitions, &[define::KEY, id, key.len() as u32]);
            push_bytes(definitions, key);
            id
        });
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            label,
            child: NONE,
            sibling: parent.child,
            parent: from,
            key: id,
            shape: NO_SHAPE,
            depth: parent.depth + 1,
        });
        self.nodes[from as usize].child = index;
        Step::Node(index)
    }

    /// Where the key's id is in the index, or is to go. The index is at most half full.
    fn slot(&self, key: &[u8]) -> usize {
        // FNV-1a with a final mix: keys are short, and the index is bounded and starts anew.
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for &byte in key {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let mask = self.index.len() - 1;
        let mut slot = (hash ^ hash >> 32) as usize & mask;
        while let Some(id) = self.index[slot].checked_sub(1) {
            if &*self.keys[id as usize] == key {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Notes that `entries` had no place.
    pub fn turn_away(&mut self, entries: usize) {
        self.turned_away = self.turned_away.saturating_add(u32::try_from(entries).unwrap_or(u32::MAX));
    }

    /// The id of the shape that ends at a node.
    #[cfg_attr(not(samewire_smallest), inline(always))]
    pub fn shape(&mut self, node: u32, definitions: &mut Area) -> u32 {
        let shape = self.node(node).shape;
        if shape != NO_SHAPE { shape } else { self.new_shape(node, definitions) }
    }

    #[cold]
    #[inline(never)]
    fn new_shape(&mut self, node: u32, definitions: &mut Area) -> u32 {
        let shape = self.shapes;
        self.shapes += 1;
        self.nodes[node as usize].shape = shape;
        let mut keys = Vec::new();
        let mut at = node;
        while at != ROOT {
            keys.push(self.node(at).key);
            at = self.node(at).parent;
        }
        push(definitions, &[define::SHAPE, shape, keys.len() as u32]);
        keys.reverse();
        push(definitions, &keys);
        shape
    }
}

#[cfg_attr(not(samewire_smallest), inline(always))]
fn label(key: &[u8]) -> Packed {
    if key.len() <= LONGEST {
        // SAFETY: at most LONGEST bytes.
        unsafe { Packed::new(key) }
    } else {
        // SAFETY: more than 8 bytes.
        let low = unsafe { key.as_ptr().cast::<u64>().read_unaligned() };
        Packed { low, high: 1 << 63 | key.len() as u64 }
    }
}

fn push(area: &mut Area, words: &[u32]) {
    for word in words {
        area.extend(&word.to_ne_bytes());
    }
}

fn push_bytes(area: &mut Area, bytes: &[u8]) {
    area.extend(bytes);
    area.extend(&[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()]);
}
