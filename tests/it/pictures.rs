//! Pictures that `print_board` writes as pixels: PNG and animated GIF, read again and compared with the stones.

use std::io::Cursor;

use kifuwarabe_uec14::kernel::{Color, Coordinate, Point, Stone};

use crate::engine::{Folder, file_names};

/// The distance of adjacent points and that of the first one from the edge, in units of the drawing.
const CELL: f32 = 40.0;
const MARGIN: f32 = 54.0;

/// Runs GTP commands in a folder without a net and without logs on the terminal; returns the answers.
fn run(folder: &Folder, input: &str) -> String {
    let output = folder.run(&["--set", "Net.Use=false", "--set", "Search.MaxPlayouts=20"], input.as_bytes());
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).unwrap()
}

/// Pixels in red, green and blue.
#[derive(Clone)]
struct Pixels {
    width: usize,
    height: usize,
    colors: Vec<[u8; 3]>,
}

impl Pixels {
    fn of_png(bytes: &[u8]) -> Pixels {
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut buffer).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        let colors = buffer.chunks(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Pixels { width: info.width as usize, height: info.height as usize, colors }
    }

    /// The content of a point of the board, seen a little beside its middle, where neither lines nor marks are.
    fn stone(&self, coordinate: Coordinate, point: Point) -> Stone {
        let scale = self.width as f32 / ((f32::from(coordinate.width()) - 1.0) * CELL + 2.0 * MARGIN);
        let (x, y) = coordinate.xy(point);
        let at = |cells: u8, offset: f32| ((MARGIN + f32::from(cells) * CELL + offset) * scale) as usize;
        let color = self.colors[at(coordinate.height() - y, 12.0) * self.width + at(x - 1, 6.0)];
        match color.map(u32::from) {
            [r, g, b] if r.max(g).max(b) < 80 => Stone::Black,
            [r, g, b] if r.min(g).min(b) > 170 => Stone::White,
            [r, g, b] if r > b + 60 && g > b => Stone::Space,
            other => panic!("{} is {other:?}", coordinate.vertex(point)),
        }
    }

    fn stones(&self, coordinate: Coordinate) -> Vec<Stone> {
        coordinate.points().map(|point| self.stone(coordinate, point)).collect()
    }
}

/// The frames of an animated GIF, each complete, with its time in hundredths of a second.
fn frames(bytes: &[u8]) -> Vec<(Pixels, u16)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut shown = Pixels { width, height, colors: vec![[0; 3]; width * height] };
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        for (number, pixel) in frame.buffer.chunks(4).enumerate() {
            let (x, y) = (number % usize::from(frame.width), number / usize::from(frame.width));
            shown.colors[(top + y) * width + left + x] = [pixel[0], pixel[1], pixel[2]];
        }
        frames.push((shown.clone(), frame.delay));
    }
    frames
}

fn stones_of(coordinate: Coordinate, stones: &[(&str, Color)]) -> Vec<Stone> {
    let at = |point: Point| stones.iter().find(|(vertex, _)| coordinate.parse_vertex(vertex) == Ok(point));
    coordinate.points().map(|point| at(point).map_or(Stone::Space, |(_, color)| color.stone())).collect()
}

#[test]
fn a_png_shows_the_stones_and_its_labels() {
    let folder = Folder::new();
    let input = "rectangular_boardsize 9 7\nplay b A1\nplay w J7\nplay b C4\nprint_board a.png\n\
                 print_board b.PNG rens ownership variation\nboardsize 25\nprint_board c.png\n\
                 boardsize 2\nprint_board d.png\n";
    let answers = run(&folder, input);
    assert_eq!(answers, "= \n\n".repeat(10));
    let pixels = Pixels::of_png(&bytes(&folder, "a.png"));
    let coordinate = Coordinate::new(9, 7).unwrap();
    assert_eq!((pixels.width, pixels.height), (428, 348));
    let black = [("A1", Color::Black), ("J7", Color::White), ("C4", Color::Black)];
    assert_eq!(pixels.stones(coordinate), stones_of(coordinate, &black));
    // the label of the A file has ink, and no other place at its height between two labels
    let ink = |left: usize| {
        (left - 8..left + 8)
            .flat_map(|x| (10..24).map(move |y| (x, y)))
            .filter(|(x, y)| pixels.colors[y * pixels.width + x][0] < 0xa0)
            .count()
    };
    assert!(ink(54) > 20 && ink(54 + 8 * 40) > 20 && ink(54 + 20) == 0, "{} {} {}", ink(54), ink(374), ink(74));
    assert!(bytes(&folder, "b.PNG").len() > bytes(&folder, "a.png").len());
    for (name, side) in [("c.png", 1068), ("d.png", 148)] {
        assert_eq!(Pixels::of_png(&bytes(&folder, name)).width, side);
    }
}

#[test]
fn a_gif_shows_one_move_after_the_other() {
    let folder = Folder::new();
    let input = "boardsize 5\nplay b A2\nplay w A1\nplay b B1\nplay w pass\nprint_board all.gif\n\
                 print_board some.gif from 2 to 3\nclear_board\nprint_board empty.gif\n";
    assert_eq!(run(&folder, input), "= \n\n".repeat(9));
    let coordinate = Coordinate::square(5).unwrap();
    let expected = [
        &[][..],
        &[("A2", Color::Black)],
        &[("A2", Color::Black), ("A1", Color::White)],
        &[("A2", Color::Black), ("B1", Color::Black)],
        &[("A2", Color::Black), ("B1", Color::Black)],
    ]
    .map(|stones| stones_of(coordinate, stones));
    let all = frames(&bytes(&folder, "all.gif"));
    let shown: Vec<_> = all.iter().map(|(pixels, _)| pixels.stones(coordinate)).collect();
    assert_eq!(shown, expected);
    assert_eq!(all.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(), [100, 100, 100, 100, 400]);
    // after the pass the ring on the last stone is gone
    assert_ne!(all[3].0.colors, all[4].0.colors);
    let some: Vec<_> =
        frames(&bytes(&folder, "some.gif")).iter().map(|(pixels, _)| pixels.stones(coordinate)).collect();
    assert_eq!(some, expected[1..4]);
    assert_eq!(frames(&bytes(&folder, "empty.gif")).len(), 1);
}

#[test]
fn an_animated_svg_shows_each_stone_in_its_time() {
    let folder = Folder::new();
    let input = "boardsize 5\nplay b A2\nplay w A1\nplay b B1\nprint_board moves.svg from 1\nprint_board from 3 to 3\n";
    let answers = run(&folder, input);
    let svg = folder.read("moves.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let animated: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("animate"))
        .map(|node| {
            let stone = node.parent().unwrap().first_element_child().unwrap();
            let attribute = |name| node.attribute(name).unwrap();
            assert_eq!((attribute("dur"), attribute("repeatCount")), ("7.00s", "indefinite"));
            (stone.attribute("href"), attribute("keyTimes").to_owned(), attribute("values").to_owned())
        })
        .collect();
    let find = |href, x: &str, y: &str| {
        let stone = document.descendants().find(|node| {
            node.attribute("href") == Some(href) && node.attribute("x") == Some(x) && node.attribute("y") == Some(y)
        });
        let values = stone.unwrap().next_sibling_element().unwrap();
        (values.attribute("keyTimes").unwrap().to_owned(), values.attribute("values").unwrap().to_owned())
    };
    let text = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(find("#go-black", "0", "120"), text("0.000000;0.142857", "hidden;visible"));
    // captured by the third move
    assert_eq!(find("#go-white", "0", "160"), text("0.000000;0.285714;0.428571", "hidden;visible;hidden"));
    // three stones, and the ring on each
    assert_eq!(animated.len(), 6);
    assert!(svg.contains("<title>Go board, moves 1 to 3</title>") && !svg.contains("<script"));
    assert!(answers.contains("<title>Go board, moves 3 to 3</title>"), "{answers}");
}

#[test]
fn a_picture_that_cannot_be_drawn_is_refused_in_one_line() {
    let folder = Folder::new();
    let mut input = "boardsize 5\nplay b A2\n".to_owned();
    for arguments in [
        "a.gif from 0",
        "a.gif from 3",
        "a.gif from 2 to 1",
        "a.gif to 2",
        "a.gif from 1 to",
        "a.gif rens",
        "a.png from 1",
        "a.gif from 1 to 1 from x",
        "a.jpg",
        "nowhere/a.gif",
    ] {
        input += &format!("print_board {arguments}\n");
    }
    let answers = run(&folder, &input);
    let answers: Vec<&str> = answers.split("\n\n").skip(2).collect();
    for (answer, expected) in answers.iter().zip([
        "? unexpected from:0, ",
        "? no moves 3 to 1: the game has 1",
        "? no moves 2 to 1: the game has 1",
        "? no moves 1 to 2: the game has 1",
        "? missing to, usage: print_board ",
        "? unexpected layer:rens, expected none, with moves",
        "? unexpected file:a.png, expected .gif or .svg, which can show moves",
        "? unexpected from:x, ",
        "? unexpected layer:a.jpg, expected a file name that ends in .svg, .png or .gif, rens, ",
        "? cannot save file: ",
    ]) {
        assert!(answer.starts_with(expected) && !answer.contains('\n'), "{answer}, {expected}");
    }
    assert!(!file_names(folder.path()).iter().any(|name| name.contains("a.")), "{:?}", file_names(folder.path()));

    // 1001 moves, of which a thousand can be shown
    let mut input = "boardsize 3\n".to_owned();
    input += &"play b pass\n".repeat(1001);
    input += "print_board long.gif\nprint_board from 2\n";
    let answers = run(&folder, &input);
    assert!(answers.contains("? 1001 moves, expected at most 1000\n\n= <svg "), "{}", &answers[answers.len() - 200..]);
}
