//! The layers that a KataGo file is made of, and how each is read.

use crate::net::error::NetError;
use crate::net::katago::activation::{Activation, from_word};
use crate::net::katago::file::{Tokens, quoted};

/// Upper limits of what a file may claim, so that a malicious one cannot exhaust memory.
const MAX_CHANNELS: usize = 4096;
const MAX_WIDTH: usize = 4 * MAX_CHANNELS;
const MAX_FILTER: usize = 19;

/// A convolution without bias; points off the board count as 0.
#[derive(Debug)]
pub(super) struct ConvDesc {
    /// Rows and columns of the filter, both odd.
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// In the order row, column, input, output.
    pub(super) weights: Vec<f32>,
}

/// A batch norm: scale and shift of each channel.
#[derive(Debug)]
pub(super) struct NormDesc {
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

/// A matrix product without bias.
#[derive(Debug)]
pub(super) struct LinearDesc {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// In the order input, output.
    pub(super) weights: Vec<f32>,
}

/// Reads layers.
pub(super) struct Reader<'a> {
    pub(super) tokens: Tokens<'a>,
    /// The model version.
    pub(super) version: usize,
}

impl Reader<'_> {
    /// The name of a layer or block.
    pub(super) fn name(&mut self) -> Result<String, NetError> {
        self.tokens.word("the name of a layer").map(ToOwned::to_owned)
    }

    /// A number of channels.
    pub(super) fn channels(&mut self, what: &str) -> Result<usize, NetError> {
        self.tokens.integer(what, 1, MAX_CHANNELS)
    }

    /// A small number that is added to a variance.
    pub(super) fn epsilon(&mut self) -> Result<f32, NetError> {
        self.tokens.positive("the epsilon of a norm")
    }

    /// A convolution of known inputs and, if given, outputs.
    pub(super) fn convolution(&mut self, inputs: usize, outputs: Option<usize>) -> Result<ConvDesc, NetError> {
        let name = self.name()?;
        let mut side = |what: &str| {
            let side = self.tokens.integer(&format!("the filter {what} of layer {name}"), 1, MAX_FILTER)?;
            match side % 2 {
                1 => Ok(side),
                _ => Err(NetError(format!("the filter {what} of layer {name} is {side}, expected an odd number"))),
            }
        };
        let (height, width) = (side("height")?, side("width")?);
        let outputs = self.sizes(&name, inputs, outputs)?;
        for _ in 0..2 {
            self.tokens.integer(&format!("the dilation of layer {name}"), 1, 1)?;
        }
        let weights = self.tokens.floats(&name, height * width * inputs * outputs)?;
        Ok(ConvDesc { height, width, inputs, outputs, weights })
    }

    /// A matrix product of known inputs and, if given, outputs.
    pub(super) fn linear(&mut self, inputs: usize, outputs: Option<usize>) -> Result<LinearDesc, NetError> {
        let name = self.name()?;
        let outputs = self.sizes(&name, inputs, outputs)?;
        Ok(LinearDesc { inputs, outputs, weights: self.tokens.floats(&name, inputs * outputs)? })
    }

    /// The sizes of a layer; returns the outputs.
    fn sizes(&mut self, name: &str, inputs: usize, outputs: Option<usize>) -> Result<usize, NetError> {
        self.tokens.integer(&format!("the number of inputs of layer {name}"), inputs, inputs)?;
        let (min, max) = outputs.map_or((1, MAX_CHANNELS), |outputs| (outputs, outputs));
        match max {
            ..=MAX_WIDTH => self.tokens.integer(&format!("the number of outputs of layer {name}"), min, max),
            _ => Err(NetError(format!("layer {name} would have {max} outputs, expected at most {MAX_WIDTH}"))),
        }
    }

    /// A bias for each of the outputs of a layer.
    pub(super) fn bias(&mut self, outputs: usize) -> Result<Vec<f32>, NetError> {
        let name = self.name()?;
        self.tokens.integer(&format!("the size of layer {name}"), outputs, outputs)?;
        self.tokens.floats(&name, outputs)
    }

    /// A batch norm; mean, variance, scale and shift become one scale and shift.
    pub(super) fn norm(&mut self, channels: usize) -> Result<NormDesc, NetError> {
        let name = self.name()?;
        self.tokens.integer(&format!("the size of layer {name}"), channels, channels)?;
        let epsilon = self.epsilon()?;
        let has_scale = self.tokens.flag(&format!("whether layer {name} has a scale"))?;
        let has_shift = self.tokens.flag(&format!("whether layer {name} has a shift"))?;
        let mean = self.tokens.floats(&name, channels)?;
        let variance = self.tokens.floats(&name, channels)?;
        let mut scale = if has_scale { self.tokens.floats(&name, channels)? } else { vec![1.0; channels] };
        let mut shift = if has_shift { self.tokens.floats(&name, channels)? } else { vec![0.0; channels] };
        scale.iter_mut().zip(&variance).for_each(|(scale, variance)| *scale /= (variance + epsilon).sqrt());
        shift.iter_mut().zip(&mean).zip(&scale).for_each(|((shift, mean), scale)| *shift -= mean * scale);
        match scale.iter().chain(&shift).all(|number| number.is_finite()) {
            true => Ok(NormDesc { scale, shift }),
            false => {
                Err(NetError(format!("the variances of layer {name} give infinite numbers, expected finite ones")))
            }
        }
    }

    /// An activation; before version 11 it is ReLU without being written.
    pub(super) fn activation(&mut self) -> Result<Activation, NetError> {
        let name = self.name()?;
        if self.version < 11 {
            return Ok(Activation::Relu);
        }
        let word = self.tokens.word("the kind of an activation")?;
        from_word(word).ok_or_else(|| {
            NetError(format!("the activation of layer {name} is of the unknown kind {}", quoted(word.as_bytes())))
        })
    }
}
