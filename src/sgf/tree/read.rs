//! From the tokens of a file to a tree, and from a path of its nodes to a [`GameRecord`].

use crate::kernel::Coordinate;
use crate::sgf::encoding;
use crate::sgf::error::{SgfError, SgfProblem};
use crate::sgf::lexer::{Lexer, Token};
use crate::sgf::limits::MAX_VALUES;
use crate::sgf::property::{Property, identifier_of};
use crate::sgf::read::{Reader, board_size};
use crate::sgf::record::GameRecord;
use crate::sgf::tree::node::{GameTree, Node, NodeId, NodeProperty};
use crate::sgf::value::{has_lines, size_value};

impl GameTree {
    /// Reads the first game of a file with all variations, in time and memory proportional to its length. The encoding
    /// is detected as by [`read`](crate::sgf::read()); `FF` and `CA` of the root become those of the text that
    /// [`GameTree::write`] writes. Parentheses may be absent at the end of a game whose main line is complete.
    ///
    /// # Errors
    /// If there is no game, if it is malformed or not Go, if the size of its board is invalid, or if the tree is larger
    /// than [`MAX_NODES`](crate::sgf::MAX_NODES) and [`MAX_VALUES`] allow. Points and other values are not checked.
    pub fn read(bytes: &[u8]) -> Result<GameTree, SgfError> {
        GameTree::read_utf8(&encoding::to_utf8(bytes))
    }

    /// As [`GameTree::read`] for a text, whose encoding is known: its `CA`, which may be that of a file, is ignored.
    ///
    /// # Errors
    /// As for [`GameTree::read`].
    pub fn read_text(text: &str) -> Result<GameTree, SgfError> {
        GameTree::read_utf8(encoding::of_text(text))
    }

    fn read_utf8(text: &[u8]) -> Result<GameTree, SgfError> {
        let mut tree = GameTree { nodes: Vec::new(), coordinate: board_size(text)? };
        let mut lexer = Lexer::new(text)?;
        let mut current = None;
        let mut branches = Vec::new();
        // the place of the current property in its node, and whether its next value continues a comment
        let (mut place, mut continues) = (0, false);
        let mut value_count = 0;
        while let Some((at, token)) = lexer.next()? {
            let too_large = || SgfError::new(at, SgfProblem::TreeTooLarge);
            value_count += usize::from(matches!(token, Token::Name(_) | Token::Value(_)));
            if value_count > MAX_VALUES {
                return Err(too_large());
            }
            match token {
                Token::Open => branches.push(current),
                Token::Close => current = branches.pop().unwrap_or(current),
                Token::Node => current = Some(tree.append(current, at).ok_or_else(too_large)?),
                Token::Name(written) => {
                    if let Some(node) = current.and_then(|id| tree.get_mut(id)) {
                        let (count, identifier) = (node.properties.len(), identifier_of(written));
                        let is_comment = has_lines(&identifier);
                        place = place_of(node, identifier);
                        continues = is_comment && place < count;
                    }
                }
                Token::Value(value) => {
                    let node = current.and_then(|id| tree.get_mut(id));
                    if let Some(property) = node.and_then(|node| node.properties.get_mut(place)) {
                        let value = String::from_utf8_lossy(value).into_owned();
                        match property.values.last_mut().filter(|_| continues) {
                            Some(text) => continue_text(text, &value),
                            None => {
                                property.values.push(value);
                                property.offsets.push(u32::try_from(at).unwrap_or(u32::MAX));
                            }
                        }
                        continues = false;
                    }
                }
            }
        }
        if tree.nodes.is_empty() {
            return Err(SgfError::new(text.len(), SgfProblem::NoGame));
        }
        tree.declare_format();
        Ok(tree)
    }

    /// A game without moves on an empty board.
    pub fn new(coordinate: Coordinate) -> GameTree {
        let mut tree = GameTree { nodes: vec![Some(Node::new(None, 0))], coordinate };
        let size = size_value(coordinate);
        for (identifier, value) in [("GM", "1"), ("SZ", size.as_str())] {
            tree.set(tree.root(), identifier, vec![value.to_owned()]);
        }
        tree.declare_format();
        tree
    }

    /// The nodes from the root to a node as a record, for [`position_of`](crate::sgf::position_of). If there is no move
    /// and no `PL` up to the node, the player to move is that of the first move after it, by the first child of each
    /// node.
    ///
    /// # Errors
    /// If a value that determines the position is invalid. The offset is that of the value in the file, or that of its node
    /// if the value was set here.
    pub fn record_of_path(&self, id: NodeId) -> Result<GameRecord, SgfError> {
        let mut reader = Reader::new(self.coordinate);
        for node in self.path(id).into_iter().filter_map(|id| self.get(id)) {
            reader.end_node();
            for property in &node.properties {
                let kind = Property::parse(property.identifier.as_bytes());
                for (number, value) in property.values.iter().enumerate() {
                    let at = property.offset(number).unwrap_or(node.offset);
                    reader.add_value(at, kind, value.as_bytes(), number == 0)?;
                }
            }
        }
        let mut record = reader.finish();
        if record.turns.is_empty() && record.to_play.is_none() {
            let next = self.line_from(id).into_iter().find_map(|id| self.move_of(id));
            record.to_play = next.map(|(color, _)| color);
        }
        Ok(record)
    }

    /// Sets `FF` and `CA` of the root: the values of a tree are in UTF-8.
    fn declare_format(&mut self) {
        for (place, (identifier, value)) in [("FF", "4"), ("CA", "UTF-8")].into_iter().enumerate() {
            let is_new = self.values(self.root(), identifier).is_empty();
            self.set(self.root(), identifier, vec![value.to_owned()]);
            if let Some(root) = self.nodes.first_mut().and_then(Option::as_mut)
                && is_new
                && let Some(property) = root.properties.pop()
            {
                root.properties.insert(place.min(root.properties.len()), property);
            }
        }
    }
}

/// Properties of a node among which an earlier one of the same identifier is looked for. Nodes have a few; the limit
/// keeps the time proportional to the length of the file.
const MAX_EXAMINED: usize = 64;

/// The place of a property in a node. A list or a comment that is written in several parts is one property, so that
/// none of its values is lost when it is changed; of properties with one value, such as moves, each stays as it is.
fn place_of(node: &mut Node, identifier: String) -> usize {
    let property = Property::parse(identifier.as_bytes());
    if matches!(property, Property::Setup(_) | Property::GameInfo(_) | Property::Comment | Property::Other)
        && let Some(place) = node.properties.iter().take(MAX_EXAMINED).position(|known| known.identifier == identifier)
    {
        return place;
    }
    node.properties.push(NodeProperty { identifier, values: Vec::new(), offsets: Vec::new() });
    node.properties.len() - 1
}

/// Adds a text to a comment, after a blank line.
fn continue_text(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}
