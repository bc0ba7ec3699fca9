//! The current game: its tree with the current node, the position there, and who plays.
//!
//! Pages name nodes by numbers that stay the same when the game is saved and read again.

use std::collections::HashMap;

use crate::NAME;
use crate::kernel::{Color, Move, Position};
use crate::picture::points::{letter, move_at, move_index};
use crate::sgf::{self, GameTree, NodeId};
use crate::web::action::{HumanSides, Mark, NewGame, Time};
use crate::web::event::{self, MarkAt, NodeValue, Refusal, RefusalCode, Tree};
use crate::web::results::{Results, SavedResults};
use crate::web::{marks, new_game};

/// The evaluation of a node: Black's win rate and lead, and the visits of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NodeEvaluation {
    pub(super) win_probability: f32,
    pub(super) lead: f32,
    pub(super) visits: u64,
}

/// A game that pages show and change.
pub(super) struct CurrentGame {
    /// The name of the game in the state folder and in links.
    pub(super) id: String,
    pub(super) human_sides: HumanSides,
    pub(super) level: u64,
    pub(super) time: Option<Time>,
    tree: GameTree,
    ids: NodeIds,
    current: NodeId,
    /// The child that was visited last.
    last_child: HashMap<NodeId, NodeId>,
    /// The position of the current node.
    position: Position,
    /// An empty board with the rules.
    empty: Position,
    /// `KM` of the record, if it is no komi known here.
    pub(super) unknown_komi: Option<String>,
    /// `RU` of the record, if it names no rules known here.
    pub(super) unknown_rules: Option<String>,
    /// Name of the rule set.
    rules_name: &'static str,
    results: Results,
    values: HashMap<NodeId, NodeEvaluation>,
}

/// The numbers of nodes.
#[derive(Default)]
struct NodeIds {
    /// By [`NodeId::index`].
    of_node: Vec<u32>,
    next: u32,
}

impl NodeIds {
    /// Gives numbers to nodes that have none.
    fn extend(&mut self, count: usize) {
        while self.of_node.len() < count {
            self.of_node.push(self.next);
            self.next += 1;
        }
    }

    fn of(&self, id: NodeId) -> u32 {
        self.of_node.get(id.index()).copied().unwrap_or_default()
    }

    fn index_of(&self, number: u32) -> Option<usize> {
        self.of_node.iter().position(|&found| found == number)
    }
}

impl CurrentGame {
    /// A new game.
    pub(super) fn new(id: String, new: &NewGame, defaults: &Position) -> Result<CurrentGame, Refusal> {
        let mut game = CurrentGame::of_tree(id, new_game::tree(new)?, defaults)?;
        (game.human_sides, game.level, game.time) = (new.human_sides, new.level, new.time);
        Ok(game)
    }

    /// The game of a record as it was read. `defaults` supplies rules and komi that the record lacks. The current node
    /// is the first one.
    pub(super) fn of_record(id: String, tree: GameTree, defaults: &Position) -> Result<CurrentGame, Refusal> {
        let mut game = CurrentGame::of_tree(id, tree, defaults)?;
        let end = game.tree.main_line().last().copied();
        let record = game.tree.record_of_path(game.tree.root()).map_err(Refusal::of_file)?;
        let result = record.known_result().map(str::to_owned);
        game.results = end.zip(result).map_or_else(Results::default, |(end, result)| Results::of_record(end, result));
        Ok(game)
    }

    fn of_tree(id: String, tree: GameTree, defaults: &Position) -> Result<CurrentGame, Refusal> {
        let record = tree.record_of_path(tree.root()).map_err(Refusal::of_file)?;
        let mut empty = sgf::defaults_for(&record, defaults);
        empty.rule_mut().komi = record.komi.unwrap_or(empty.rule().komi);
        let position = position_of(&tree, tree.root(), &empty)?;
        let mut ids = NodeIds::default();
        ids.extend(tree.node_count());
        Ok(CurrentGame {
            id,
            human_sides: HumanSides::Both,
            level: crate::player::level::STRONGEST,
            time: None,
            current: tree.root(),
            tree,
            ids,
            last_child: HashMap::new(),
            position,
            unknown_rules: sgf::unknown_rules(&record, empty.rule()).map(str::to_owned),
            rules_name: sgf::rule_set_name(&record).unwrap_or_else(|| empty.rule().name_or_other()),
            unknown_komi: record.unclear_komi,
            empty,
            results: Results::default(),
            values: HashMap::new(),
        })
    }

    /// The name of the rules, as chosen or written, or `other`.
    pub(super) fn rules_name(&self) -> &'static str {
        self.rules_name
    }

    /// The position of the current node.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The position of a node.
    pub(super) fn position_at(&self, node: NodeId) -> Result<Position, Refusal> {
        position_of(&self.tree, node, &self.empty)
    }

    /// The current node.
    pub(super) fn current(&self) -> NodeId {
        self.current
    }

    /// The number of a node.
    pub(super) fn number(&self, node: NodeId) -> u32 {
        self.ids.of(node)
    }

    /// The node with a number.
    pub(super) fn node(&self, number: u32) -> Option<NodeId> {
        self.tree.node(self.ids.index_of(number)?)
    }

    /// The tree.
    pub(super) fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// The record, with all variations.
    pub(super) fn sgf(&self) -> String {
        self.tree.write() + "\n"
    }

    /// The nodes through the current one: from the root, then on by the children visited last.
    pub(super) fn line(&self) -> Vec<NodeId> {
        let mut line = self.tree.path(self.current);
        let mut last = self.current;
        while let Some(next) = self.next(last) {
            line.push(next);
            last = next;
        }
        line
    }

    /// The child that was visited last, or else the first.
    fn next(&self, node: NodeId) -> Option<NodeId> {
        let children = self.tree.children(node);
        self.last_child.get(&node).filter(|child| children.contains(child)).or(children.first()).copied()
    }

    /// Whether the game is over at the current node.
    pub(super) fn is_over(&self) -> bool {
        self.result().is_some() || self.position.is_over()
    }

    /// The result at the current node.
    pub(super) fn result(&self) -> Option<&str> {
        self.results.at(self.current)
    }

    /// Ends the game at the current node, and writes the result into the record.
    pub(super) fn finish(&mut self, result: String) {
        self.results.add(self.current, result);
        self.write_result();
    }

    /// Takes back the result of this game at the current node. Returns whether there was one.
    fn take_back_result(&mut self) -> bool {
        let is_taken_back = self.results.take_back(self.current);
        if is_taken_back {
            self.write_result();
        }
        is_taken_back
    }

    /// Writes the latest result into the record.
    fn write_result(&mut self) {
        self.tree.set_text(self.tree.root(), "RE", self.results.latest().unwrap_or_default());
    }

    /// Whether the engine is to move here.
    pub(super) fn is_engines_turn(&self) -> bool {
        !self.is_over()
            && match (self.human_sides, self.position.to_move()) {
                (HumanSides::Both, _) => false,
                (HumanSides::None, _) => true,
                (HumanSides::Black, color) => color == Color::White,
                (HumanSides::White, color) => color == Color::Black,
            }
    }

    /// Whether moves may follow here: the game is not over, or two people, or one who studies, play on after its end,
    /// and the result stays at its node. But a click that a flag has overtaken must not leave a loss on time in this game.
    pub(super) fn may_go_on(&self) -> bool {
        let is_lost_on_time = self.results.own_at(self.current).is_some_and(|result| result.ends_with("+T"));
        !self.is_over() || (self.human_sides == HumanSides::Both && !is_lost_on_time)
    }

    /// Plays a move of the side to move: goes to the child that has it, or to a new one.
    pub(super) fn play(&mut self, index: i32) -> Result<(), Refusal> {
        let coordinate = self.tree.coordinate();
        let color = self.position.to_move();
        let Some(play) = move_at(coordinate, index) else {
            return Err(Refusal::new(RefusalCode::Invalid, format!("point {index} is not on the board")));
        };
        if !self.may_go_on() {
            return Err(Refusal::new(RefusalCode::Over, "the game is over"));
        }
        if let Move::Play(point) = play {
            self.position.check(color, point).map_err(|rule| Refusal {
                code: RefusalCode::Rule(rule.name()),
                point: Some(index),
                text: format!("{}: {}", coordinate.vertex(point), rule.explanation()),
            })?;
        }
        let child = self.tree.add_child(self.current, color, play);
        let child = child.ok_or_else(|| Refusal::new(RefusalCode::Limit, "the game has too many nodes"))?;
        self.ids.extend(child.index() + 1);
        self.go(child)
    }

    /// Goes to a node.
    pub(super) fn go(&mut self, node: NodeId) -> Result<(), Refusal> {
        self.position = self.position_at(node)?;
        let path = self.tree.path(node);
        for (&parent, &child) in path.iter().zip(path.iter().skip(1)) {
            self.last_child.insert(parent, child);
        }
        self.current = node;
        Ok(())
    }

    /// Goes back to before the person's last move; without an engine, to the node before. At the end of the game this
    /// takes back the result, too; it is taken back alone if it is a resignation of a person or a loss on time, or if
    /// no such move comes before it.
    pub(super) fn undo(&mut self) -> Result<(), Refusal> {
        let own = match self.human_sides {
            HumanSides::Black => Some(Color::Black),
            HumanSides::White => Some(Color::White),
            HumanSides::Both | HumanSides::None => None,
        };
        if self.has_lost(own) {
            self.take_back_result();
            return Ok(());
        }
        let mut node = self.current;
        loop {
            let played_by = self.tree.move_of(node).map(|(color, _)| color);
            let Some(parent) = self.tree.parent(node) else {
                return match self.take_back_result() {
                    true => Ok(()),
                    false => Err(Refusal::new(RefusalCode::NotFound, "there is no move to take back")),
                };
            };
            node = parent;
            if own.is_none() || played_by == own {
                self.take_back_result();
                return self.go(node);
            }
        }
    }

    /// Whether a person has lost here, at the current node, without a count: the one who plays `own`, or both play.
    fn has_lost(&self, own: Option<Color>) -> bool {
        let Some(result) = self.results.own_at(self.current) else { return false };
        match (result, own) {
            ("W+R" | "W+T", Some(Color::Black)) | ("B+R" | "B+T", Some(Color::White)) => true,
            ("W+R" | "W+T" | "B+R" | "B+T", None) => self.human_sides == HumanSides::Both,
            _ => false,
        }
    }

    /// Goes to the child visited last; in a game against the engine, over its answer, too.
    pub(super) fn redo(&mut self) -> Result<(), Refusal> {
        let next = |game: &CurrentGame| game.next(game.current);
        let child = next(self).ok_or_else(|| Refusal::new(RefusalCode::NotFound, "nothing follows"))?;
        self.go(child)?;
        if self.is_engines_turn()
            && self.human_sides != HumanSides::None
            && let Some(answer) = next(self)
        {
            self.go(answer)?;
        }
        Ok(())
    }

    /// Sets the comment of a node.
    pub(super) fn set_comment(&mut self, node: NodeId, text: &str) {
        self.tree.set_text(node, "C", text);
    }

    /// The comment of the current node.
    pub(super) fn comment(&self) -> String {
        self.tree.text(self.current, "C").unwrap_or_default()
    }

    /// Sets a mark of a node, or takes it away, see [`marks::toggle`].
    pub(super) fn mark(&mut self, node: NodeId, at: i32, kind: Mark, text: Option<&str>) -> Result<(), Refusal> {
        marks::toggle(&mut self.tree, node, at, kind, text)
    }

    /// The marks of the current node.
    pub(super) fn marks(&self) -> Vec<MarkAt> {
        marks::of_node(&self.tree, self.current)
    }

    /// Deletes a node and what follows it, with the results there; if the current node is among them, goes to its
    /// parent.
    pub(super) fn remove(&mut self, node: NodeId) -> Result<(), Refusal> {
        let parent = self.tree.parent(node);
        let parent = parent.ok_or_else(|| Refusal::new(RefusalCode::NotFound, "the first node cannot be deleted"))?;
        if self.tree.path(self.current).contains(&node) {
            self.go(parent)?;
        }
        self.tree.remove(node);
        let CurrentGame { tree, values, last_child, results, .. } = self;
        let is_there = |id: &NodeId| tree.node(id.index()).is_some();
        values.retain(|id, _| is_there(id));
        last_child.retain(|parent, child| is_there(parent) && is_there(child));
        if results.retain(is_there) {
            self.write_result();
        }
        Ok(())
    }

    /// Makes the main line pass through a node.
    pub(super) fn promote(&mut self, node: NodeId) {
        self.tree.promote(node);
    }

    /// Sets the names of the players.
    pub(super) fn rename(&mut self, black: &str, white: &str) {
        self.tree.set_text(self.tree.root(), "PB", black);
        self.tree.set_text(self.tree.root(), "PW", white);
    }

    /// The name of a player; empty if the record has none.
    pub(super) fn name(&self, color: Color) -> String {
        let property = if color == Color::Black { "PB" } else { "PW" };
        self.tree.text(self.tree.root(), property).unwrap_or_default()
    }

    /// Stores a search's evaluation of a node, unless an earlier one had more visits. Returns whether it is new.
    pub(super) fn set_value(&mut self, node: NodeId, value: NodeEvaluation) -> bool {
        let is_new = self.values.get(&node).is_none_or(|known| known.visits < value.visits);
        if is_new {
            self.values.insert(node, value);
        }
        is_new
    }

    /// The evaluation of a node.
    pub(super) fn value(&self, node: NodeId) -> Option<NodeEvaluation> {
        self.values.get(&node).copied()
    }

    /// All that is known of nodes, by their numbers.
    pub(super) fn values(&self) -> Vec<NodeValue> {
        let row = |(&node, value): (&NodeId, &NodeEvaluation)| {
            (self.number(node), value.win_probability, value.lead, value.visits)
        };
        let mut values: Vec<_> = self.values.iter().map(row).collect();
        values.sort_unstable_by_key(|row| row.0);
        values
    }

    /// Restores what [`CurrentGame::values`] gave.
    pub(super) fn set_values(&mut self, values: &[NodeValue]) {
        for &(number, win_probability, lead, visits) in values {
            if let Some(node) = self.node(number) {
                self.set_value(node, NodeEvaluation { win_probability, lead, visits });
            }
        }
    }

    /// Whether nothing would be lost with this game: no move, comment, mark or name of a person, and no stones but those of
    /// a handicap.
    pub(super) fn is_blank(&self) -> bool {
        let has = |property: &str| !self.tree.values(self.tree.root(), property).is_empty();
        let is_marked = has("C") || Mark::ALL.iter().any(|kind| has(kind.property()));
        let is_named = Color::BOTH.map(|color| self.name(color)).iter().any(|name| !name.is_empty() && name != NAME);
        self.tree.node_count() == 1 && !is_marked && !is_named && !has("AW") && (!has("AB") || has("HA"))
    }

    /// The results for a file.
    pub(super) fn results(&self) -> SavedResults {
        self.results.saved(|node| self.number(node))
    }

    /// Restores what [`CurrentGame::results`] gave.
    pub(super) fn set_results(&mut self, saved: SavedResults) {
        self.results = Results::of_saved(saved, |number| self.node(number));
    }

    /// The numbers of the nodes in the order of the written record.
    pub(super) fn numbers_in_file(&self) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(self.tree.node_count());
        let mut waiting = vec![self.tree.root()];
        while let Some(node) = waiting.pop() {
            numbers.push(self.number(node));
            waiting.extend(self.tree.children(node).iter().rev());
        }
        numbers
    }

    /// Restores what [`CurrentGame::numbers_in_file`] gave; ignored if it is not of this record, or beyond the numbers
    /// of a tree that can be.
    pub(super) fn set_numbers(&mut self, numbers: Vec<u32>) {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let max = sorted.last().copied().unwrap_or_default();
        if sorted.len() == numbers.len() && numbers.len() == self.tree.node_count() && (max as usize) < sgf::MAX_NODES {
            self.ids = NodeIds { of_node: numbers, next: max + 1 };
        }
    }

    /// The number of moves of the main line.
    pub(super) fn move_count(&self) -> usize {
        self.tree.main_line().into_iter().filter(|&node| self.tree.move_of(node).is_some()).count()
    }

    /// The nodes as an event.
    pub(super) fn tree_event(&self) -> Tree {
        let coordinate = self.tree.coordinate();
        let removed = (-1, None, None, event::IS_REMOVED);
        let mut tree = Tree { nodes: vec![removed; self.ids.next as usize], ..Tree::default() };
        let mut waiting = vec![self.tree.root()];
        while let Some(node) = waiting.pop() {
            let children = self.tree.children(node);
            waiting.extend(children);
            let numbers: Vec<u32> = children.iter().map(|&child| self.number(child)).collect();
            let number = self.number(node);
            if !numbers.is_sorted() {
                tree.order.insert(number, numbers);
            }
            let parent = self.tree.parent(node).map_or(-1, |parent| i64::from(self.number(parent)));
            let played = self.tree.move_of(node);
            let has = |property: &str| !self.tree.values(node, property).is_empty();
            let flags = [
                (has("C"), event::HAS_COMMENT),
                (Mark::ALL.iter().any(|kind| has(kind.property())), event::HAS_MARKS),
                (["AB", "AW", "AE"].into_iter().any(has), event::IS_SETUP),
            ];
            let flags = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
            if let Some(slot) = tree.nodes.get_mut(number as usize) {
                let color = played.map(|(color, _)| letter(color));
                *slot = (parent, color, played.map(|(_, play)| move_index(coordinate, play)), flags);
            }
        }
        tree
    }
}

fn position_of(tree: &GameTree, node: NodeId, empty: &Position) -> Result<Position, Refusal> {
    // a node that has been deleted has no path, and thus the position of an empty record
    if tree.path(node).is_empty() {
        return Err(Refusal::new(RefusalCode::NotFound, "there is no such node"));
    }
    let record = tree.record_of_path(node).map_err(Refusal::of_file)?;
    sgf::position_of(&record, empty, None).map_err(Refusal::of_file)
}
