//! The trunk of a KataGo net: the stem, blocks whose results are added to their inputs, and the last norm.

use crate::net::katago::attention::{Attention, FeedForward, RmsNorm};
use crate::net::katago::buffers::{Boards, Scratch};
use crate::net::katago::global_pooling::GlobalPoolingBias;
use crate::net::katago::layers::{Backend, Convolution, Norm, apply_linear, linear};
use crate::net::katago::model_desc::{self, LastNormDesc};
use crate::net::layers::Linear;

/// The trunk.
#[derive(Debug)]
pub(super) struct Trunk {
    stem: Convolution,
    stem_globals: Linear,
    blocks: Vec<Block>,
    last_norm: LastNorm,
}

/// A block of the trunk.
#[derive(Debug)]
enum Block {
    /// The first convolution includes the norm between the two.
    Residual {
        before: Norm,
        first: Convolution,
        second: Convolution,
    },
    Pooling {
        before: Norm,
        pooled: Box<GlobalPoolingBias>,
        second: Convolution,
    },
    Nested {
        before: Norm,
        first: Convolution,
        blocks: Vec<Block>,
        after: Norm,
        last: Convolution,
    },
    Attention(Box<Attention>),
    FeedForward(Box<FeedForward>),
}

/// The norm after the last block.
#[derive(Debug)]
enum LastNorm {
    Norm(Norm),
    Rms(RmsNorm),
}

impl Trunk {
    pub(super) fn new(
        backend: Backend,
        stem: &model_desc::StemDesc,
        blocks: Vec<model_desc::BlockDesc>,
        last_norm: LastNormDesc,
    ) -> Trunk {
        Trunk {
            stem: Convolution::plain(backend, &stem.planes),
            stem_globals: linear(backend.set, &stem.globals, None),
            blocks: blocks.into_iter().map(|block| Block::new(backend, block)).collect(),
            last_norm: match last_norm {
                LastNormDesc::Norm(norm) => LastNorm::Norm(Norm::new(backend.set, norm)),
                LastNormDesc::Rms(norm) => LastNorm::Rms(RmsNorm::new(backend.set, norm)),
            },
        }
    }

    /// The trunk's output for input planes and a row of global inputs for each board, in a buffer to be freed by the
    /// caller.
    pub(super) fn apply(&self, planes: &Boards, globals: &[f32], scratch: &mut Scratch) -> Boards {
        let bias = apply_linear(&self.stem_globals, globals, self.stem_globals.inputs(), scratch);
        let mut trunk = self.stem.apply_biased(planes, &bias, scratch);
        scratch.free_flat(bias);
        self.blocks.iter().for_each(|block| block.apply(&mut trunk, scratch));
        match &self.last_norm {
            LastNorm::Norm(norm) => {
                let output = norm.apply(&trunk, 0, scratch);
                scratch.free_boards(trunk);
                output
            }
            LastNorm::Rms(norm) => {
                norm.apply_in_place(&mut trunk, scratch.batch);
                trunk
            }
        }
    }
}

impl Block {
    fn new(backend: Backend, block: model_desc::BlockDesc) -> Block {
        match block {
            model_desc::BlockDesc::Residual { before, first, between, second } => Block::Residual {
                before: Norm::new(backend.set, before),
                first: Convolution::with_norm(backend, first, between),
                second: Convolution::plain(backend, &second),
            },
            model_desc::BlockDesc::Pooling { before, pooled, second } => Block::Pooling {
                before: Norm::new(backend.set, before),
                pooled: Box::new(GlobalPoolingBias::new(backend, pooled)),
                second: Convolution::plain(backend, &second),
            },
            model_desc::BlockDesc::Nested { before, first, blocks, after, last } => Block::Nested {
                before: Norm::new(backend.set, before),
                first: Convolution::plain(backend, &first),
                blocks: blocks.into_iter().map(|block| Block::new(backend, block)).collect(),
                after: Norm::new(backend.set, after),
                last: Convolution::plain(backend, &last),
            },
            model_desc::BlockDesc::Attention(layer) => Block::Attention(Box::new(Attention::new(backend, layer))),
            model_desc::BlockDesc::FeedForward { norm, linear, gate, last } => {
                Block::FeedForward(Box::new(FeedForward::new(backend, norm, [&linear, &gate, &last])))
            }
        }
    }

    /// Adds the block's result to the trunk.
    fn apply(&self, trunk: &mut Boards, scratch: &mut Scratch) {
        match self {
            Block::Residual { before, first, second } => {
                let inner = first.apply(Some(before), trunk, scratch);
                second.add(None, &inner, trunk, scratch);
                scratch.free_boards(inner);
            }
            Block::Pooling { before, pooled, second } => {
                let (inner, numbers) = pooled.apply(Some(before), trunk, scratch);
                scratch.free_flat(numbers);
                second.add(None, &inner, trunk, scratch);
                scratch.free_boards(inner);
            }
            Block::Nested { before, first, blocks, after, last } => {
                let mut inner = first.apply(Some(before), trunk, scratch);
                blocks.iter().for_each(|block| block.apply(&mut inner, scratch));
                last.add(Some(after), &inner, trunk, scratch);
                scratch.free_boards(inner);
            }
            Block::Attention(block) => block.apply(trunk, scratch),
            Block::FeedForward(block) => block.apply(trunk, scratch),
        }
    }
}
