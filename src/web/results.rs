//! The results of a game, each at the node where the game ended.

use serde::{Deserialize, Serialize};

use crate::sgf::NodeId;

/// The results of a game. Its record names the latest one. An end by two passes has none until a score is accepted.
#[derive(Default)]
pub(super) struct Results {
    /// The result of the record as loaded, at the end of its main line. It stays when a variation is added, and is
    /// deleted with its node, as every result is.
    loaded: Option<(NodeId, String)>,
    /// The results of this game, the latest one last. A node has at most one.
    own: Vec<(NodeId, String)>,
}

/// The results as a file has them, with the numbers of the nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SavedResults {
    pub(super) loaded: Option<(u32, String)>,
    pub(super) own: Vec<(u32, String)>,
}

impl Results {
    /// The result of a record as loaded.
    pub(super) fn of_record(end: NodeId, result: String) -> Results {
        Results { loaded: Some((end, result)), own: Vec::new() }
    }

    /// The result at a node; one of this game comes before that of the record.
    pub(super) fn at(&self, node: NodeId) -> Option<&str> {
        let mut all = self.own.iter().chain(&self.loaded);
        all.find(|(end, _)| *end == node).map(|(_, result)| result.as_str())
    }

    /// The result of this game at a node.
    pub(super) fn own_at(&self, node: NodeId) -> Option<&str> {
        self.own.iter().find(|(end, _)| *end == node).map(|(_, result)| result.as_str())
    }

    /// The result that the record names.
    pub(super) fn latest(&self) -> Option<&str> {
        self.own.last().or(self.loaded.as_ref()).map(|(_, result)| result.as_str())
    }

    /// Adds a result of this game, in place of an earlier one at the same node.
    pub(super) fn add(&mut self, node: NodeId, result: String) {
        self.take_back(node);
        self.own.push((node, result));
    }

    /// Removes the result of this game at a node. Returns whether there was one.
    pub(super) fn take_back(&mut self, node: NodeId) -> bool {
        self.retain_own(|end| *end != node)
    }

    /// Removes the results at nodes that are no longer there. Returns whether there was one.
    pub(super) fn retain(&mut self, is_there: impl Fn(&NodeId) -> bool) -> bool {
        let is_loaded_removed = self.loaded.take_if(|(end, _)| !is_there(end)).is_some();
        self.retain_own(is_there) || is_loaded_removed
    }

    fn retain_own(&mut self, is_kept: impl Fn(&NodeId) -> bool) -> bool {
        let count = self.own.len();
        self.own.retain(|(end, _)| is_kept(end));
        self.own.len() < count
    }

    /// The results for a file.
    pub(super) fn saved(&self, number: impl Fn(NodeId) -> u32) -> SavedResults {
        let numbered = |(end, result): &(NodeId, String)| (number(*end), result.clone());
        SavedResults { loaded: self.loaded.as_ref().map(numbered), own: self.own.iter().map(numbered).collect() }
    }

    /// The results of a file, without those at nodes that are not there.
    pub(super) fn of_saved(saved: SavedResults, node: impl Fn(u32) -> Option<NodeId>) -> Results {
        let at_node = |(number, result): (u32, String)| Some((node(number)?, result));
        Results { loaded: saved.loaded.and_then(at_node), own: saved.own.into_iter().filter_map(at_node).collect() }
    }
}
