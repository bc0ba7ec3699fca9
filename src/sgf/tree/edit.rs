//! Changes of a tree.

use crate::kernel::{Color, Move};
use crate::sgf::property::Property;
use crate::sgf::tree::node::{GameTree, Node, NodeId, NodeProperty};
use crate::sgf::value::{self, move_letters, value_of_text};

impl GameTree {
    /// Sets a property to values as written, escapes included; the property keeps its place, or becomes the last one.
    /// No values remove it.
    ///
    /// Returns whether the node exists, the identifier consists of capital letters and digits, and every value can
    /// stand between brackets: no `]` and no final `\` is without escape. If not, nothing is changed.
    pub fn set(&mut self, id: NodeId, identifier: &str, values: Vec<String>) -> bool {
        let is_identifier = identifier.starts_with(|first: char| first.is_ascii_uppercase())
            && identifier.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let Some(node) = self.get_mut(id).filter(|_| is_identifier && values.iter().all(|value| is_value(value)))
        else {
            return false;
        };
        let place = node.properties.iter().position(|property| property.identifier == identifier);
        node.properties.retain(|property| property.identifier != identifier);
        if !values.is_empty() {
            let place = place.unwrap_or(node.properties.len());
            let property = NodeProperty { identifier: identifier.to_owned(), values, offsets: Vec::new() };
            node.properties.insert(place, property);
        }
        true
    }

    /// Sets a property with text, such as the comment `C`, to one value with this text; an empty text removes it. Line
    /// ends become blanks, except in comments (`C` and `GC`). Returns whether that was possible, as [`GameTree::set`] does.
    pub fn set_text(&mut self, id: NodeId, identifier: &str, text: &str) -> bool {
        let value = if value::has_lines(identifier) { value_of_text(text) } else { value::escaped(text.trim(), ' ') };
        let values = if value.is_empty() { Vec::new() } else { vec![value] };
        self.set(id, identifier, values)
    }

    /// Puts a property of a node before its other properties, except those of the file format at its start (`FF`, `GM` and
    /// `CA`), so that it is found near the start of a file also where the root has a long comment. Does nothing if the
    /// node or the property is unknown.
    pub(crate) fn move_to_front(&mut self, id: NodeId, identifier: &str) {
        let Some(Node { properties, .. }) = self.get_mut(id) else { return };
        let is_format = |property: &NodeProperty| ["FF", "GM", "CA"].contains(&property.identifier.as_str());
        let front = properties.iter().take_while(|property| is_format(property)).count();
        let place = properties.iter().position(|property| property.identifier == identifier);
        if let Some(moved) = place.and_then(|place| properties.get_mut(front..=place)) {
            moved.rotate_right(1);
        }
    }

    /// The child of a node with this move and no other; adds it as the last child if there is none. Its legality is not checked.
    /// `None` if the node is unknown, the point off the board, or the tree has [`MAX_NODES`](crate::sgf::MAX_NODES) nodes.
    pub fn add_child(&mut self, parent: NodeId, color: Color, play: Move) -> Option<NodeId> {
        let value = move_letters(play, self.coordinate)?;
        let found = self.children(parent).iter().find(|&&child| self.moves(child).eq([(color, play)]));
        if let Some(&found) = found {
            return Some(found);
        }
        let child = self.add_empty_child(parent)?;
        self.set(child, Property::Move(color).identifier(), vec![value]);
        Some(child)
    }

    /// Adds an empty node as the last child of a node. `None` if the node is unknown, or the tree has
    /// [`MAX_NODES`](crate::sgf::MAX_NODES) nodes.
    pub fn add_empty_child(&mut self, parent: NodeId) -> Option<NodeId> {
        self.append(Some(parent), 0)
    }

    /// Removes a node and everything after it. Returns whether it was there; the root cannot be removed.
    pub fn remove(&mut self, id: NodeId) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        if let Some(parent) = self.get_mut(parent) {
            parent.children.retain(|&child| child != id);
        }
        let mut removed = vec![id];
        while let Some(node) = removed.pop().and_then(|id| self.nodes.get_mut(id.index())).and_then(Option::take) {
            removed.extend(node.children);
        }
        true
    }

    /// Makes the main line pass through a node: each node of its path becomes the first child. The order of the others
    /// is kept. Returns whether the node exists.
    pub fn promote(&mut self, id: NodeId) -> bool {
        let path = self.path(id);
        for (&parent, &child) in path.iter().zip(path.iter().skip(1)) {
            let Some(children) = self.get_mut(parent).map(|parent| &mut parent.children) else { continue };
            if let Some(place) = children.iter().position(|&found| found == child)
                && let Some(first) = children.get_mut(..=place)
            {
                first.rotate_right(1);
            }
        }
        !path.is_empty()
    }
}

/// Whether a text is a value as written: every `]` is escaped, and nothing is missing after the last `\`.
fn is_value(text: &str) -> bool {
    let mut is_escaped = false;
    for character in text.chars() {
        if character == ']' && !is_escaped {
            return false;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    !is_escaped
}
