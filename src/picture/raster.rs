//! From the text of a picture to pixels, and to a PNG file.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels of a picture in SVG whose letters are shapes: no font is loaded. `max_side` bounds width and height.
///
/// # Errors
/// If it cannot be drawn; the reason in one line.
pub(super) fn pixels(svg: &str, max_side: f32) -> Result<Pixmap, String> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = (max_side / size.width().max(size.height())).min(1.0);
    let side = |length: f32| (length * scale).ceil() as u32;
    let mut pixels = Pixmap::new(side(size.width()), side(size.height())).ok_or("a picture without pixels")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

/// A PNG file of such a picture, a pixel for each unit of the drawing.
///
/// # Errors
/// As [`pixels`].
pub(super) fn png(svg: &str) -> Result<Vec<u8>, String> {
    pixels(svg, f32::INFINITY)?.encode_png().map_err(|error| error.to_string())
}
