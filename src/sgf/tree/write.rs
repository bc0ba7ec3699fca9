//! The writer of trees.

use crate::sgf::folding::FoldedText;
use crate::sgf::tree::node::{GameTree, NodeId};

/// A step of the traversal.
enum Step {
    Node(NodeId),
    /// A node that begins a variation beside others.
    Branch(NodeId),
    Close,
}

impl GameTree {
    /// The tree as the text of a file: `FF[4]` in UTF-8, folded into lines between properties and values, with the
    /// order of variations, properties and values kept. Reading it gives the same tree.
    pub fn write(&self) -> String {
        let mut lines = FoldedText::default();
        let mut steps = vec![Step::Close, Step::Branch(self.root())];
        while let Some(step) = steps.pop() {
            let id = match step {
                Step::Close => {
                    lines.push(")");
                    continue;
                }
                Step::Branch(id) => {
                    lines.fold();
                    lines.push("(");
                    id
                }
                Step::Node(id) => id,
            };
            self.write_node(id, &mut lines);
            match self.children(id) {
                &[child] => steps.push(Step::Node(child)),
                children => {
                    for &child in children.iter().rev() {
                        steps.extend([Step::Close, Step::Branch(child)]);
                    }
                }
            }
        }
        lines.into_text()
    }

    fn write_node(&self, id: NodeId, lines: &mut FoldedText) {
        let mut start = String::from(";");
        for (identifier, values) in self.properties(id) {
            start += identifier;
            for value in values {
                lines.push(&format!("{start}[{value}]"));
                start.clear();
            }
        }
        if !start.is_empty() {
            lines.push(&start);
        }
    }
}
