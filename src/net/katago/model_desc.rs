//! The description in a KataGo file: the layers of a net with their weights, checked for shape.
//!
//! Source: KataGo's `neuralnet/desc.cpp`, model versions 8 to 17.

use crate::net::error::NetError;
use crate::net::katago::activation::Activation;
use crate::net::katago::features::{GLOBALS, PLANES};
use crate::net::katago::file::{Tokens, quoted};
use crate::net::katago::layer_desc::{ConvDesc, LinearDesc, NormDesc, Reader};

/// The model versions that are known.
const VERSIONS: std::ops::RangeInclusive<usize> = 8..=17;

/// Upper limits of what a file may claim, so that a malicious one cannot exhaust memory or the stack.
const MAX_BLOCKS: usize = 512;
const MAX_DEPTH: usize = 4;

/// A net.
#[derive(Debug)]
pub(super) struct ModelDesc {
    pub(super) name: String,
    pub(super) version: usize,
    /// Whether the features of pass-alive area are to be computed as if suicide were legal.
    pub(super) pass_alive_by_suicide: bool,
    pub(super) scales: Scales,
    pub(super) stem: StemDesc,
    pub(super) blocks: Vec<BlockDesc>,
    pub(super) last_norm: LastNormDesc,
    pub(super) policy: PolicyHeadDesc,
    pub(super) value: ValueHeadDesc,
}

/// The first layers: the sum of a convolution of the planes and a product of the global inputs.
#[derive(Debug)]
pub(super) struct StemDesc {
    pub(super) planes: ConvDesc,
    pub(super) globals: LinearDesc,
}

/// Factors of the outputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scales {
    pub(super) score_mean: f32,
    pub(super) score_stdev: f32,
    pub(super) lead: f32,
    pub(super) var_time: f32,
    pub(super) shortterm_winloss_error: f32,
    pub(super) shortterm_score_error: f32,
}

/// A norm and the activation after it.
#[derive(Debug)]
pub(super) struct NormActivationDesc {
    pub(super) norm: NormDesc,
    pub(super) activation: Activation,
}

/// A block of the trunk, whose result is added to its input.
#[derive(Debug)]
pub(super) enum BlockDesc {
    /// Two convolutions.
    Residual { before: NormActivationDesc, first: ConvDesc, between: NormActivationDesc, second: ConvDesc },
    /// Two convolutions with global pooling between.
    Pooling { before: NormActivationDesc, pooled: GlobalPoolingDesc, second: ConvDesc },
    /// Blocks of fewer channels between two convolutions.
    Nested {
        before: NormActivationDesc,
        first: ConvDesc,
        blocks: Vec<BlockDesc>,
        after: NormActivationDesc,
        last: ConvDesc,
    },
    /// Attention of each point to all points.
    Attention(AttentionDesc),
    /// Two products for each point with a gate between.
    FeedForward { norm: RmsNormDesc, linear: LinearDesc, gate: LinearDesc, last: LinearDesc },
}

/// A convolution, to whose result a bias is added that comes from global pooling of another convolution.
#[derive(Debug)]
pub(super) struct GlobalPoolingDesc {
    pub(super) regular: ConvDesc,
    pub(super) pooling: ConvDesc,
    pub(super) pooling_norm: NormActivationDesc,
    pub(super) pool_to_bias: LinearDesc,
    pub(super) norm: NormActivationDesc,
}

/// A norm: the root mean square of the channels becomes 1; then scale, shift and activation.
#[derive(Debug)]
pub(super) struct RmsNormDesc {
    pub(super) epsilon: f32,
    /// Whether the mean is over the whole board, not over each point.
    pub(super) is_spatial: bool,
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
    pub(super) activation: Activation,
}

/// An attention block.
#[derive(Debug)]
pub(super) struct AttentionDesc {
    pub(super) norm: RmsNormDesc,
    pub(super) query: LinearDesc,
    pub(super) key: LinearDesc,
    pub(super) value: LinearDesc,
    pub(super) output: LinearDesc,
    /// Heads of the queries; a multiple of `kv_heads`.
    pub(super) query_heads: usize,
    pub(super) kv_heads: usize,
    pub(super) query_head_dim: usize,
    pub(super) value_head_dim: usize,
    pub(super) rotary_embedding: RotaryEmbedding,
}

/// The rotation of queries and keys by the point's place (rotary position embedding).
#[derive(Debug)]
pub(super) enum RotaryEmbedding {
    None,
    /// For each key-value head and each pair of numbers: the angle per column and per row.
    Learned(Vec<[f32; 2]>),
    /// Angles are powers of this number.
    Fixed(f32),
}

/// The norm and the activation after the last block.
#[derive(Debug)]
pub(super) enum LastNormDesc {
    Norm(NormActivationDesc),
    Rms(RmsNormDesc),
}

/// The policy head.
#[derive(Debug)]
pub(super) struct PolicyHeadDesc {
    pub(super) pooled: GlobalPoolingDesc,
    pub(super) points: ConvDesc,
    pub(super) pass: LinearDesc,
    /// Of versions with a hidden layer for the pass.
    pub(super) pass_hidden: Option<(Vec<f32>, Activation, LinearDesc)>,
}

/// The value head.
#[derive(Debug)]
pub(super) struct ValueHeadDesc {
    pub(super) first: ConvDesc,
    pub(super) norm: NormActivationDesc,
    pub(super) hidden: (LinearDesc, Vec<f32>),
    pub(super) activation: Activation,
    /// Win, loss, no result.
    pub(super) value: (LinearDesc, Vec<f32>),
    /// Mean and deviation of the score, lead, remaining time, and from version 9 on two errors.
    pub(super) score: (LinearDesc, Vec<f32>),
    pub(super) ownership: ConvDesc,
}

impl ModelDesc {
    /// Reads a decompressed file.
    pub(super) fn read(content: &[u8]) -> Result<ModelDesc, NetError> {
        let mut tokens = Tokens::new(content);
        let name = tokens.word("the net's name")?;
        let version = tokens.word("the model version")?;
        let version = match version.parse() {
            Ok(number) if VERSIONS.contains(&number) => number,
            _ => {
                let (first, last) = (VERSIONS.start(), VERSIONS.end());
                let version = quoted(version.as_bytes());
                return Err(NetError(format!("the model version is {version}, expected {first} to {last}")));
            }
        };
        tokens.integer("the number of input planes", PLANES, PLANES)?;
        tokens.integer("the number of global inputs", GLOBALS, GLOBALS)?;
        let scales = if version >= 13 { Scales::read(&mut tokens)? } else { Scales::default() };
        let mut pass_alive_by_suicide = false;
        if version >= 15 {
            if tokens.integer("the version of the metadata encoder", 0, 1000)? != 0 {
                let text = "the net imitates players and needs their ranks as input, which is not supported";
                return Err(NetError(text.to_owned()));
            }
            pass_alive_by_suicide = tokens.flag("the option for pass-alive area")?;
            unused(&mut tokens, 6)?;
        }
        let mut reader = Reader { tokens, version };
        let trunk = TrunkDesc::read(&mut reader)?;
        let channels = trunk.stem.planes.outputs;
        let policy = PolicyHeadDesc::read(&mut reader, channels)?;
        let value = ValueHeadDesc::read(&mut reader, channels)?;
        reader.tokens.end()?;
        let TrunkDesc { stem, blocks, last_norm } = trunk;
        let name = name.to_owned();
        Ok(ModelDesc { name, version, pass_alive_by_suicide, scales, stem, blocks, last_norm, policy, value })
    }
}

impl Default for Scales {
    /// The factors of versions before 13, in KataGo's `ModelPostProcessParams`.
    fn default() -> Scales {
        Scales {
            score_mean: 20.0,
            score_stdev: 20.0,
            lead: 20.0,
            var_time: 40.0,
            shortterm_winloss_error: 0.25,
            shortterm_score_error: 30.0,
        }
    }
}

impl Scales {
    fn read(tokens: &mut Tokens) -> Result<Scales, NetError> {
        tokens.positive("the factor of the temporal-difference scores")?;
        let score_mean = tokens.positive("the factor of the score's mean")?;
        let score_stdev = tokens.positive("the factor of the score's deviation")?;
        let lead = tokens.positive("the factor of the lead")?;
        let var_time = tokens.positive("the factor of the remaining time")?;
        let shortterm_winloss_error = tokens.positive("the factor of the win error")?;
        let shortterm_score_error = tokens.positive("the factor of the score error")?;
        Ok(Scales { score_mean, score_stdev, lead, var_time, shortterm_winloss_error, shortterm_score_error })
    }
}

/// Options without a meaning yet, which are 0.
fn unused(tokens: &mut Tokens, count: usize) -> Result<(), NetError> {
    (0..count).try_for_each(|_| tokens.integer("an option without a known meaning", 0, 0).map(|_| ()))
}

/// The trunk.
struct TrunkDesc {
    stem: StemDesc,
    blocks: Vec<BlockDesc>,
    last_norm: LastNormDesc,
}

impl TrunkDesc {
    fn read(reader: &mut Reader) -> Result<TrunkDesc, NetError> {
        reader.name()?;
        let blocks = reader.tokens.integer("the number of blocks", 1, MAX_BLOCKS)?;
        let channels = reader.channels("the number of channels of the trunk")?;
        for _ in 0..4 {
            reader.channels("a number of channels")?; // the layers repeat it
        }
        let mut has_rms_norm = false;
        if reader.version >= 15 {
            has_rms_norm = reader.tokens.flag("the kind of the trunk's last norm")?;
            unused(&mut reader.tokens, 5)?;
        }
        let planes = reader.convolution(PLANES, Some(channels))?;
        let stem = StemDesc { planes, globals: reader.linear(GLOBALS, Some(channels))? };
        let blocks = BlockDesc::read_all(reader, blocks, channels, MAX_DEPTH)?;
        let last_norm = match has_rms_norm {
            false => LastNormDesc::Norm(reader.norm_activation(channels)?),
            true => {
                let name = reader.name()?;
                reader.tokens.integer("the number of channels of a norm", channels, channels)?;
                let epsilon = reader.epsilon()?;
                let is_spatial = reader.tokens.flag("whether the last norm is spatial")?;
                reader.tokens.integer("the group size of the last norm", 0, 0)?;
                let scale = reader.tokens.floats(&name, channels)?;
                let shift = reader.tokens.floats(&name, channels)?;
                LastNormDesc::Rms(RmsNormDesc { epsilon, is_spatial, scale, shift, activation: reader.activation()? })
            }
        };
        Ok(TrunkDesc { stem, blocks, last_norm })
    }
}

impl Reader<'_> {
    fn norm_activation(&mut self, channels: usize) -> Result<NormActivationDesc, NetError> {
        Ok(NormActivationDesc { norm: self.norm(channels)?, activation: self.activation()? })
    }

    /// A matrix product and a bias.
    fn biased(&mut self, inputs: usize, outputs: Option<usize>) -> Result<(LinearDesc, Vec<f32>), NetError> {
        let linear = self.linear(inputs, outputs)?;
        let bias = self.bias(linear.outputs)?;
        Ok((linear, bias))
    }

    /// The norm of attention blocks.
    fn rms_norm(&mut self, channels: usize) -> Result<RmsNormDesc, NetError> {
        let name = self.name()?;
        self.tokens.integer("the number of channels of a norm", channels, channels)?;
        let epsilon = self.epsilon()?;
        let (scale, shift) = (self.tokens.floats(&name, channels)?, vec![0.0; channels]);
        Ok(RmsNormDesc { epsilon, is_spatial: false, scale, shift, activation: Activation::Identity })
    }
}

impl BlockDesc {
    fn read_all(reader: &mut Reader, count: usize, channels: usize, depth: usize) -> Result<Vec<BlockDesc>, NetError> {
        (0..count).map(|_| BlockDesc::read(reader, channels, depth)).collect()
    }

    fn read(reader: &mut Reader, channels: usize, depth: usize) -> Result<BlockDesc, NetError> {
        let kind = reader.tokens.word("the kind of a block")?;
        let name = reader.name()?;
        match kind {
            "ordinary_block" => {
                let before = reader.norm_activation(channels)?;
                let first = reader.convolution(channels, None)?;
                let between = reader.norm_activation(first.outputs)?;
                let second = reader.convolution(first.outputs, Some(channels))?;
                Ok(BlockDesc::Residual { before, first, between, second })
            }
            "gpool_block" => {
                let before = reader.norm_activation(channels)?;
                let pooled = GlobalPoolingDesc::read(reader, channels)?;
                let second = reader.convolution(pooled.regular.outputs, Some(channels))?;
                Ok(BlockDesc::Pooling { before, pooled, second })
            }
            "nested_bottleneck_block" => {
                let Some(depth) = depth.checked_sub(1) else {
                    return Err(NetError(format!("block {name} is nested deeper than {MAX_DEPTH} levels")));
                };
                let count = reader.tokens.integer("the number of nested blocks", 1, MAX_BLOCKS)?;
                let before = reader.norm_activation(channels)?;
                let first = reader.convolution(channels, None)?;
                let blocks = BlockDesc::read_all(reader, count, first.outputs, depth)?;
                let after = reader.norm_activation(first.outputs)?;
                let last = reader.convolution(first.outputs, Some(channels))?;
                Ok(BlockDesc::Nested { before, first, blocks, after, last })
            }
            "transformer_attention_block" => AttentionDesc::read(reader, &name, channels).map(BlockDesc::Attention),
            "transformer_ffn_block" => {
                reader.tokens.integer("the number of channels of a block", channels, channels)?;
                let hidden = reader.channels("the number of hidden channels of a block")?;
                if !reader.tokens.flag("whether a block has a gate")? {
                    return Err(NetError(format!("block {name} has no gate, which is not supported")));
                }
                let norm = reader.rms_norm(channels)?;
                let linear = reader.linear(channels, Some(hidden))?;
                let gate = reader.linear(channels, Some(hidden))?;
                let last = reader.linear(hidden, Some(channels))?;
                Ok(BlockDesc::FeedForward { norm, linear, gate, last })
            }
            kind => Err(NetError(format!("block {name} is of the unknown kind {}", quoted(kind.as_bytes())))),
        }
    }
}

impl GlobalPoolingDesc {
    fn read(reader: &mut Reader, channels: usize) -> Result<GlobalPoolingDesc, NetError> {
        let regular = reader.convolution(channels, None)?;
        let pooling = reader.convolution(channels, None)?;
        let pooling_norm = reader.norm_activation(pooling.outputs)?;
        let pool_to_bias = reader.linear(3 * pooling.outputs, Some(regular.outputs))?;
        let norm = reader.norm_activation(regular.outputs)?;
        Ok(GlobalPoolingDesc { regular, pooling, pooling_norm, pool_to_bias, norm })
    }
}

impl AttentionDesc {
    fn read(reader: &mut Reader, name: &str, channels: usize) -> Result<AttentionDesc, NetError> {
        let query_heads = reader.channels("the number of query heads")?;
        let kv_heads = reader.tokens.integer("the number of key-value heads", 1, query_heads)?;
        let query_head_dim = reader.channels("the dimension of a query head")?;
        let value_head_dim = reader.channels("the dimension of a value head")?;
        let is_rotated = reader.tokens.flag("whether a block has rotary position embedding")?;
        let is_learned = reader.tokens.flag("whether the angles of rotary position embedding are learned")?;
        if !query_heads.is_multiple_of(kv_heads) {
            return Err(NetError(format!(
                "block {name} has {query_heads} query heads, expected a multiple of {kv_heads}"
            )));
        }
        if is_rotated && !query_head_dim.is_multiple_of(2) {
            return Err(NetError(format!(
                "block {name} rotates query heads of dimension {query_head_dim}, expected an even dimension"
            )));
        }
        let norm = reader.rms_norm(channels)?;
        let query = reader.linear(channels, Some(query_heads * query_head_dim))?;
        let key = reader.linear(channels, Some(kv_heads * query_head_dim))?;
        let value = reader.linear(channels, Some(kv_heads * value_head_dim))?;
        let output = reader.linear(query_heads * value_head_dim, Some(channels))?;
        let rotary_embedding = match (is_rotated, is_learned) {
            (false, _) => RotaryEmbedding::None,
            (true, true) => {
                let name = reader.name()?;
                let pairs = query_head_dim / 2;
                reader.tokens.integer("the number of heads of a rotary embedding", kv_heads, kv_heads)?;
                reader.tokens.integer("the number of pairs of a rotary embedding", pairs, pairs)?;
                reader.tokens.integer("the number of axes of a rotary embedding", 2, 2)?;
                let angles = reader.tokens.floats(&name, kv_heads * pairs * 2)?;
                RotaryEmbedding::Learned(angles.as_chunks::<2>().0.to_vec())
            }
            (true, false) => {
                reader.name()?;
                RotaryEmbedding::Fixed(reader.tokens.positive("the base of a rotary embedding")?)
            }
        };
        Ok(AttentionDesc {
            norm,
            query,
            key,
            value,
            output,
            query_heads,
            kv_heads,
            query_head_dim,
            value_head_dim,
            rotary_embedding,
        })
    }
}

impl PolicyHeadDesc {
    fn read(reader: &mut Reader, channels: usize) -> Result<PolicyHeadDesc, NetError> {
        reader.name()?;
        let outputs = match reader.version {
            17.. => match reader.tokens.integer("the number of policy channels", 2, 4)? {
                3 => return Err(NetError("the number of policy channels is 3, expected 2 or 4".to_owned())),
                outputs => outputs,
            },
            16 => 4,
            12.. => 2,
            _ => 1,
        };
        if reader.version >= 17 {
            unused(&mut reader.tokens, 3)?;
        }
        let pooled = GlobalPoolingDesc::read(reader, channels)?;
        let points = reader.convolution(pooled.regular.outputs, Some(outputs))?;
        let inputs = 3 * pooled.pooling.outputs;
        if reader.version < 15 {
            let pass = reader.linear(inputs, Some(outputs))?;
            return Ok(PolicyHeadDesc { pooled, points, pass, pass_hidden: None });
        }
        let pass = reader.linear(inputs, None)?;
        let bias = reader.bias(pass.outputs)?;
        let activation = reader.activation()?;
        let last = reader.linear(pass.outputs, Some(outputs))?;
        Ok(PolicyHeadDesc { pooled, points, pass, pass_hidden: Some((bias, activation, last)) })
    }
}

impl ValueHeadDesc {
    fn read(reader: &mut Reader, channels: usize) -> Result<ValueHeadDesc, NetError> {
        reader.name()?;
        if reader.version >= 17 {
            unused(&mut reader.tokens, 3)?;
        }
        let first = reader.convolution(channels, None)?;
        let norm = reader.norm_activation(first.outputs)?;
        let hidden = reader.biased(3 * first.outputs, None)?;
        let activation = reader.activation()?;
        let units = hidden.0.outputs;
        let value = reader.biased(units, Some(3))?;
        let score = reader.biased(units, Some(if reader.version >= 9 { 6 } else { 4 }))?;
        let ownership = reader.convolution(first.outputs, Some(1))?;
        Ok(ValueHeadDesc { first, norm, hidden, activation, value, score, ownership })
    }
}
