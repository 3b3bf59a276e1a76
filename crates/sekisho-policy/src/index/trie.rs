//! A radix tree over byte strings: finds all keys that are prefixes of a text in one pass.

use crate::byte_encoding::{Blob, ByteEncoded, PartReader, PartWriter, Rows, pack, unpack};

/// No value, no child.
pub(crate) const NONE: u32 = u32::MAX;

/// Up to this many children are searched one by one.
const FEW_CHILDREN: usize = 12;

#[derive(Clone, Copy, Debug)]
struct Node {
    label: u32,
    label_length: u32,
    first_child: u32,
    children: u32,
    value: u32,
}

impl Node {
    fn to_row(self) -> [u8; 20] {
        pack([self.label, self.label_length, self.first_child, self.children, self.value])
    }

    #[inline]
    fn of_row(row: [u8; 20]) -> Node {
        let [label, label_length, first_child, children, value] = unpack(row);
        Node { label, label_length, first_child, children, value }
    }
}

/// The tree. Nodes are in breadth-first order, so that the children of a node are adjacent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie {
    nodes: Rows<[u8; 20], 20>,
    /// The first byte of each node's label, to find a child without reading the nodes.
    firsts: Blob,
    labels: Blob,
    /// The root's children by their first byte.
    root: Rows<[u8; 4], 4>,
}

/// A tree under construction.
#[derive(Default)]
struct TrieBuilder {
    nodes: Vec<Node>,
    firsts: Vec<u8>,
    labels: Vec<u8>,
}

impl TrieBuilder {
    fn push(&mut self, label: &[u8]) -> usize {
        self.nodes.push(Node {
            label: small(self.labels.len()),
            label_length: small(label.len()),
            first_child: 0,
            children: 0,
            value: NONE,
        });
        self.firsts.push(label.first().copied().unwrap_or(0));
        self.labels.extend_from_slice(label);
        self.nodes.len() - 1
    }

    fn set_value(&mut self, node: usize, value: u32) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.value = value;
        }
    }

    fn set_children(&mut self, node: usize, first_child: usize) {
        let children = small(self.nodes.len() - first_child);
        if let Some(node) = self.nodes.get_mut(node) {
            node.first_child = small(first_child);
            node.children = children;
        }
    }

    fn finish(self) -> Trie {
        let mut root = vec![NONE.to_le_bytes(); 256];
        let (start, end) =
            self.nodes.first().map_or((0, 0), |root| (root.first_child, root.first_child + root.children));
        for child in start..end {
            let byte = self.firsts.get(child as usize).copied().unwrap_or(0);
            if let Some(slot) = root.get_mut(usize::from(byte)) {
                *slot = child.to_le_bytes();
            }
        }
        Trie {
            nodes: self.nodes.into_iter().map(Node::to_row).collect::<Vec<_>>().into(),
            firsts: self.firsts.into(),
            labels: self.labels.into(),
            root: root.into(),
        }
    }
}

impl Trie {
    /// Builds the tree of `keys`, which must be sorted, without duplicates or empty keys.
    pub(crate) fn new(keys: &[(&[u8], u32)]) -> Trie {
        if keys.is_empty() {
            return Trie::default();
        }
        let mut trie = TrieBuilder::default();
        trie.push(&[]);
        let mut queue = std::collections::VecDeque::from([(keys, 0_usize, 0_usize)]);
        while let Some((mut range, depth, node)) = queue.pop_front() {
            if let Some(((key, value), rest)) = range.split_first()
                && key.len() == depth
            {
                trie.set_value(node, *value);
                range = rest;
            }
            let first_child = trie.nodes.len();
            while let Some((key, _)) = range.first() {
                let byte = key.get(depth);
                let (group, rest) =
                    range.split_at(range.partition_point(|(other, _)| other.get(depth) <= byte));
                let common = group.last().map_or(depth + 1, |(last, _)| common_length(key, last));
                let child = trie.push(key.get(depth..common).unwrap_or_default());
                queue.push_back((group, common, child));
                range = rest;
            }
            trie.set_children(node, first_child);
        }
        trie.finish()
    }

    /// A view for walks. For many walks, call this once.
    #[inline]
    pub(crate) fn walker(&self) -> Walker<'_> {
        Walker {
            nodes: self.nodes.all(),
            firsts: self.firsts.all(),
            labels: self.labels.all(),
            root: self.root.all(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }
}

/// The parts of a tree, borrowed from memory or from stored bytes.
#[derive(Clone, Copy)]
pub(crate) struct Walker<'a> {
    nodes: &'a [[u8; 20]],
    firsts: &'a [u8],
    labels: &'a [u8],
    root: &'a [[u8; 4]],
}

impl Walker<'_> {
    /// Calls `found` with the value of every key that is a prefix of `text`, shortest first.
    #[inline]
    pub(crate) fn walk(&self, text: impl Iterator<Item = u8> + Clone, mut found: impl FnMut(u32)) {
        let mut rest = text;
        let Some(first) = rest.clone().next() else { return };
        let mut at = self.root.get(usize::from(first)).copied().map_or(NONE, u32::from_le_bytes);
        while let Some(node) = self.nodes.get(at as usize).copied().map(Node::of_row) {
            let start = node.label as usize;
            let label = self.labels.get(start..start + node.label_length as usize);
            for byte in label.unwrap_or_default() {
                if rest.next() != Some(*byte) {
                    return;
                }
            }
            if node.value != NONE {
                found(node.value);
            }
            let Some(byte) = rest.clone().next() else { return };
            match child(self.firsts, node, byte) {
                // Children come after their parents, so every walk ends.
                Some(child) if child > at => at = child,
                _ => return,
            }
        }
    }
}

impl ByteEncoded for Trie {
    fn write(&self, to: &mut PartWriter) {
        self.nodes.write(to);
        self.firsts.write(to);
        self.labels.write(to);
        self.root.write(to);
    }

    fn read(from: &mut PartReader<'_>) -> Option<Trie> {
        Some(Trie {
            nodes: Rows::read(from)?,
            firsts: Blob::read(from)?,
            labels: Blob::read(from)?,
            root: Rows::read(from)?,
        })
    }
}

/// The child whose label begins with `byte`.
#[inline]
fn child(firsts: &[u8], node: Node, byte: u8) -> Option<u32> {
    let start = node.first_child as usize;
    let firsts = firsts.get(start..start + node.children as usize)?;
    // Nearly all nodes have a handful of children, for which calling memchr costs more than it saves.
    let offset = if firsts.len() <= FEW_CHILDREN {
        firsts.iter().position(|first| *first == byte)?
    } else {
        memchr::memchr(byte, firsts)?
    };
    node.first_child.checked_add(small(offset))
}

fn common_length(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Positions fit in 32 bits because config texts are limited to far less.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::Trie;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn walk_finds_every_prefix_key(
            keys in proptest::collection::btree_set("[abc]{1,6}", 0..40),
            text in "[abc]{0,8}",
        ) {
            let list: Vec<(&[u8], u32)> = keys.iter().zip(0..).map(|(key, at)| (key.as_bytes(), at)).collect();
            let mut found = BTreeSet::new();
            Trie::new(&list).walker().walk(text.bytes(), |value| { found.insert(value); });
            let expected: BTreeSet<u32> =
                list.iter().filter(|(key, _)| text.as_bytes().starts_with(key)).map(|(_, at)| *at).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
