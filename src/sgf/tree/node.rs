//! The fields of a game tree, and their accessors.

use crate::kernel::{Color, Coordinate, Move, Point, PointSet, Stone};
use crate::sgf::limits::MAX_NODES;
use crate::sgf::property::Property;
use crate::sgf::value::{self, text_of_value};

/// The name of a node in its tree. It stays valid until the node is removed, and is never given to another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The id of an entry of the list of nodes; `None` if it is beyond 32 bits.
    pub(super) fn of_index(index: usize) -> Option<NodeId> {
        u32::try_from(index).ok().map(NodeId)
    }

    /// The number of the node in the order in which nodes were read or added, from 0, the root.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One game of a file with all its variations.
///
/// Functions given the id of a removed node, or of a node of another tree that is unknown here, find nothing and change
/// nothing.
#[derive(Clone, Debug)]
pub struct GameTree {
    /// The nodes by their ids; `None` for removed ones. The first entry is the root and is always there.
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) coordinate: Coordinate,
}

/// A node of a tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<NodeId>,
    pub(super) children: Vec<NodeId>,
    /// In the order of the file. The identifier of a list or a comment occurs once.
    pub(super) properties: Vec<NodeProperty>,
    /// The offset of its `;` in the file it was read from, in UTF-8; 0 if it was added.
    pub(super) offset: usize,
}

/// A property of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NodeProperty {
    /// The identifier as in `FF[4]`.
    pub(super) identifier: String,
    /// The values as written, escapes included. There is at least one.
    pub(super) values: Vec<String>,
    /// The offset of each value's `[` in the file, as [`Node::offset`]; empty for values that were set.
    pub(super) offsets: Vec<u32>,
}

impl NodeProperty {
    /// The offset of a value in the file it was read from; `None` if it was set.
    pub(super) fn offset(&self, number: usize) -> Option<usize> {
        self.offsets.get(number).map(|&offset| offset as usize)
    }
}

impl Node {
    pub(super) fn new(parent: Option<NodeId>, offset: usize) -> Node {
        Node { parent, children: Vec::new(), properties: Vec::new(), offset }
    }
}

impl GameTree {
    /// The size of the board.
    pub const fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// The first node of the game.
    pub const fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The number of nodes, the root included.
    pub fn node_count(&self) -> usize {
        self.nodes.iter().flatten().count()
    }

    /// The node with an [index](NodeId::index), such as one that a web page sent; `None` if there is none.
    pub fn node(&self, index: usize) -> Option<NodeId> {
        NodeId::of_index(index).filter(|&id| self.get(id).is_some())
    }

    /// The node before a node; `None` for the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.get(id)?.parent
    }

    /// The continuations of a node, in order: the main one first.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        self.get(id).map_or(&[], |node| &node.children)
    }

    /// The properties of a node in order, with their values as written, which [`text_of_value`] turns into text.
    pub fn properties(&self, id: NodeId) -> impl Iterator<Item = (&str, &[String])> {
        let properties = self.get(id).map_or(&[][..], |node| &node.properties);
        properties.iter().map(|property| (property.identifier.as_str(), property.values.as_slice()))
    }

    /// The values of a property as written; empty if the node does not have it.
    pub fn values(&self, id: NodeId, identifier: &str) -> &[String] {
        self.properties(id).find(|(found, _)| *found == identifier).map_or(&[], |(_, values)| values)
    }

    /// The text of a property; `None` if the node does not have it. Only comments (`C` and `GC`) have line ends: in other
    /// texts they are blanks.
    pub fn text(&self, id: NodeId, identifier: &str) -> Option<String> {
        let value = self.values(id, identifier).first()?;
        if value::has_lines(identifier) {
            return Some(text_of_value(value));
        }
        Some(value::simple_text(value.as_bytes()).unwrap_or_default())
    }

    /// The valid moves of a node: one, none in a set-up, several in irregular files.
    pub fn moves(&self, id: NodeId) -> impl Iterator<Item = (Color, Move)> {
        self.properties(id).filter_map(|(identifier, values)| {
            let Property::Move(color) = Property::parse(identifier.as_bytes()) else { return None };
            let play = value::read_move(0, color, values.first()?.as_bytes(), self.coordinate).ok()?;
            Some((color, play))
        })
    }

    /// The points that the values of a property name, such as those of the marks `TR`; in `LB`, with their labels. A
    /// rectangle `aa:cc` is all its points. Each point is there once, with its first label; values that are no points are
    /// left out.
    pub fn points(&self, id: NodeId, identifier: &str) -> Vec<(Point, Option<String>)> {
        let has_label = identifier == "LB";
        let mut seen = PointSet::new();
        let mut marked = Vec::new();
        for value in self.values(id, identifier) {
            let (points, label) = match value.split_once(':').filter(|_| has_label) {
                Some((point, label)) => (point, Some(text_of_value(label))),
                None => (value.as_str(), None),
            };
            let points = value::rectangle(0, Stone::Space, points.as_bytes(), self.coordinate);
            let new = points.into_iter().flatten().filter(|&point| seen.insert(point));
            marked.extend(new.map(|point| (point, label.clone())));
        }
        marked
    }

    /// The first valid move of a node.
    pub fn move_of(&self, id: NodeId) -> Option<(Color, Move)> {
        self.moves(id).next()
    }

    /// The nodes from the root to a node, both included; empty for an unknown node.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let known = Some(id).filter(|&id| self.get(id).is_some());
        let mut path: Vec<NodeId> = std::iter::successors(known, |&id| self.parent(id)).collect();
        path.reverse();
        path
    }

    /// The nodes from the root on by the first child of each.
    pub fn main_line(&self) -> Vec<NodeId> {
        self.line_from(self.root())
    }

    /// A node and those after it by the first child of each.
    pub fn line_from(&self, id: NodeId) -> Vec<NodeId> {
        let known = Some(id).filter(|&id| self.get(id).is_some());
        std::iter::successors(known, |&id| self.children(id).first().copied()).collect()
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())?.as_ref()
    }

    pub(super) fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.index())?.as_mut()
    }

    /// Appends a node; `None` if there are [`MAX_NODES`] already.
    pub(super) fn append(&mut self, parent: Option<NodeId>, offset: usize) -> Option<NodeId> {
        let id = NodeId::of_index(self.nodes.len()).filter(|_| self.nodes.len() < MAX_NODES)?;
        if let Some(parent) = parent {
            self.get_mut(parent)?.children.push(id);
        }
        self.nodes.push(Some(Node::new(parent, offset)));
        Some(id)
    }
}
