//! Net inference on the CPU: policy, win probability and, with a score head, lead and ownership of a position.
//!
//! [`Net::read`] loads a file and tells by its content which kind of net it holds. A [`NativeNet`] is in this project's
//! own format: a policy and a win probability, with a score head or without one. A [`KatagoNet`] is a net of KataGo. A net
//! with a score head evaluates positions well enough to search without playouts. Both run on the matrix products and
//! convolutions of this folder, written once over the vectors of [`simd`], which holds all `unsafe` code of the
//! project. [`evaluate`] is one interface to both. The module depends on `kernel` only.

mod activation;
mod board_layout;
mod convolution;
mod direct;
mod error;
pub mod evaluate;
mod gemm;
pub mod history;
pub mod katago;
mod komi;
mod ladder;
mod layers;
pub mod native;
mod output;
mod packed_gemm;
mod point_planes;
mod pointwise;
mod precision;
mod quantized;
pub mod simd;
#[cfg(test)]
mod speed;
mod undo_board;
mod winograd;

use std::sync::{Arc, OnceLock};

use md5::{Digest, Md5};

pub use crate::net::error::NetError;
use crate::net::katago::KatagoNet;
pub use crate::net::komi::Komi;
use crate::net::native::NativeNet;
pub use crate::net::output::Output;
pub use crate::net::point_planes::PointPlanes;
pub use crate::net::precision::Precision;
use crate::net::simd::InstructionSet;

/// The file of the built-in net.
static BUILT_IN: &[u8] = include_bytes!("../../data/net.safetensors");

/// The file of the net of human moves.
static HUMAN: &[u8] = include_bytes!("../../data/human.safetensors");

/// A net, loaded and prepared for one instruction set.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position, Symmetry};
/// use kifuwarabe_uec14::net::evaluate::Scratch;
/// use kifuwarabe_uec14::net::history::FeatureOptions;
/// use kifuwarabe_uec14::net::Net;
///
/// let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 722, Color::Black);
/// let net = Net::built_in()?;
/// let input = net.input(&net.history(&position, Color::Black), &FeatureOptions::default());
/// let output = &net.evaluate(&[(&input, Symmetry::default())], 0.0, &mut Scratch::default())[0];
/// assert_eq!((output.policy.len(), output.ownership.len()), (81 + 1, 81));
/// assert!((0.0..=1.0).contains(&output.win));
/// # Ok::<(), kifuwarabe_uec14::net::NetError>(())
/// ```
#[derive(Debug)]
pub struct Net {
    digest: String,
    id: u64,
    instructions: InstructionSet,
    precision: Precision,
    is_built_in: bool,
    model: Model,
}

/// The kinds of nets.
#[derive(Debug)]
enum Model {
    Native(Box<NativeNet>),
    Katago(Box<KatagoNet>),
}

impl Net {
    /// The size of the largest file of a net, in bytes. Those of KataGo have up to 0.8 GB.
    pub const MAX_FILE: u64 = 2 << 30;

    /// The built-in net, loaded at the first call, in the [reproducible](Precision::reproducible) precision. It has a
    /// score head.
    ///
    /// # Errors
    /// If the built-in file is not a valid net.
    pub fn built_in() -> Result<Arc<Net>, NetError> {
        Net::built_in_with(Precision::reproducible(InstructionSet::best()))
    }

    /// The built-in net with a precision of its convolutions, loaded at the first call with this precision.
    ///
    /// # Errors
    /// As for [`Net::built_in`].
    pub fn built_in_with(precision: Precision) -> Result<Arc<Net>, NetError> {
        static NETS: [OnceLock<Result<Arc<Net>, NetError>>; 3] = [const { OnceLock::new() }; 3];
        let [f32, int16, bfloat16] = &NETS;
        let net = match precision {
            Precision::F32 => f32,
            Precision::Int16 => int16,
            Precision::Bfloat16 => bfloat16,
        };
        net.get_or_init(|| Net::built_in_on(InstructionSet::best(), precision).map(Arc::new)).clone()
    }

    /// The net of human moves, without a score head: levels 1 to 4 use it, levels 5 to 9 where no search by net is
    /// possible, searches that compare a pass with other moves, and the choice of free handicap stones.
    ///
    /// # Errors
    /// As for [`Net::built_in`].
    pub fn human() -> Result<Arc<Net>, NetError> {
        static NET: OnceLock<Result<Arc<Net>, NetError>> = OnceLock::new();
        NET.get_or_init(|| Net::read(HUMAN, InstructionSet::best()).map(Arc::new)).clone()
    }

    /// The built-in net for a given instruction set and precision.
    ///
    /// # Errors
    /// As for [`Net::built_in`].
    pub fn built_in_on(set: InstructionSet, precision: Precision) -> Result<Net, NetError> {
        Ok(Net { is_built_in: true, ..Net::read_with(BUILT_IN, set, precision)? })
    }

    /// Loads a net from the bytes of a file, in the [reproducible](Precision::reproducible) precision: KataGo's format if
    /// it is compressed by gzip, this project's otherwise.
    ///
    /// # Errors
    /// The first defect of the file.
    pub fn read(bytes: &[u8], set: InstructionSet) -> Result<Net, NetError> {
        Net::read_with(bytes, set, Precision::reproducible(set))
    }

    /// Loads a net like [`Net::read`], with a precision of the convolutions; a native net of the first format is always
    /// computed in `f32`.
    ///
    /// # Errors
    /// As for [`Net::read`].
    pub fn read_with(bytes: &[u8], set: InstructionSet, precision: Precision) -> Result<Net, NetError> {
        let model = match katago::is_katago(bytes) {
            true => Model::Katago(Box::new(KatagoNet::read(bytes, set, precision)?)),
            false => Model::Native(Box::new(NativeNet::read(bytes, set, precision)?)),
        };
        let precision = match &model {
            Model::Native(net) if !net.has_score() => Precision::F32,
            _ => precision,
        };
        let digest = Md5::digest(bytes);
        Ok(Net {
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            id: digest.iter().take(8).fold(0, |id, &byte| id << 8 | u64::from(byte)),
            instructions: set,
            precision,
            is_built_in: false,
            model,
        })
    }

    /// The MD5 digest of the file, in hexadecimal. It identifies the net in logs.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The first eight bytes of the digest, for keys of what depends on the net.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The instruction set of the kernels.
    pub fn instruction_set(&self) -> InstructionSet {
        self.instructions
    }

    /// The precision of the convolutions.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Whether this is the built-in net.
    pub fn is_built_in(&self) -> bool {
        self.is_built_in
    }

    /// The net, if it is a native one.
    pub fn native(&self) -> Option<&NativeNet> {
        match &self.model {
            Model::Native(net) => Some(net),
            Model::Katago(_) => None,
        }
    }

    /// The net, if it is KataGo's.
    pub fn katago(&self) -> Option<&KatagoNet> {
        match &self.model {
            Model::Native(_) => None,
            Model::Katago(net) => Some(net),
        }
    }
}
