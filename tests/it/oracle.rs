//! A second implementation of the rules of Go, written for simplicity: a grid and a flood fill, nothing from the crate.
//!
//! `differential.rs` compares every verdict and its reason, every stone, prisoner and ko of the kernel with this one.
//! Rows and columns count from 1, as in the kernel's frame: `(row, column)` here is `(y, x)` there. Colours are 1
//! (Black) and -1 (White), 0 is an empty point, 2 the wall.

pub const BLACK: i8 = 1;
pub const WHITE: i8 = -1;
pub const EMPTY: i8 = 0;
pub const WALL: i8 = 2;
const SIDE: usize = 27;

pub type Place = (usize, usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Legal,
    Masonry,
    Ko,
    OpponentEye,
    MyEye,
    Suicide,
}

/// A connected group of one colour, or of empty points.
#[derive(Debug)]
pub struct Group {
    pub color: i8,
    pub places: Vec<Place>,
    pub liberties: Vec<Place>,
    pub touches_black: bool,
    pub touches_white: bool,
}

#[derive(Clone)]
pub struct Oracle {
    pub rows: usize,
    pub columns: usize,
    pub cells: [[i8; SIDE]; SIDE],
    /// The point banned by a ko, and the colour it is banned for.
    pub ko: Option<(Place, i8)>,
    /// Stones captured by Black and by White.
    pub taken: [u32; 2],
    /// Whether Black and White have moved since the start; a pass is a move.
    pub moved: [bool; 2],
}

pub fn side(color: i8) -> usize {
    usize::from(color == WHITE)
}

fn around((row, column): Place) -> [Place; 4] {
    [(row, column + 1), (row - 1, column), (row, column - 1), (row + 1, column)]
}

impl Oracle {
    pub fn new(columns: usize, rows: usize) -> Oracle {
        let mut cells = [[WALL; SIDE]; SIDE];
        for row in &mut cells[1..=rows] {
            row[1..=columns].fill(EMPTY);
        }
        Oracle { rows, columns, cells, ko: None, taken: [0; 2], moved: [false; 2] }
    }

    pub fn at(&self, (row, column): Place) -> i8 {
        self.cells[row][column]
    }

    pub fn places(&self) -> Vec<Place> {
        (1..=self.rows).flat_map(|row| (1..=self.columns).map(move |column| (row, column))).collect()
    }

    pub fn group(&self, start: Place) -> Group {
        let color = self.at(start);
        let mut seen = [[false; SIDE]; SIDE];
        let mut group =
            Group { color, places: vec![start], liberties: Vec::new(), touches_black: false, touches_white: false };
        seen[start.0][start.1] = true;
        let mut walked = 0;
        while walked < group.places.len() {
            for next in around(group.places[walked]) {
                if !seen[next.0][next.1] {
                    seen[next.0][next.1] = true;
                    match self.at(next) {
                        same if same == color => group.places.push(next),
                        EMPTY => group.liberties.push(next),
                        BLACK => group.touches_black = true,
                        WHITE => group.touches_white = true,
                        _ => {}
                    }
                }
            }
            walked += 1;
        }
        group
    }

    /// All groups, including those of empty points.
    pub fn groups(&self) -> Vec<Group> {
        let mut seen = [[false; SIDE]; SIDE];
        let mut groups = Vec::new();
        for place in self.places() {
            if !seen[place.0][place.1] {
                let group = self.group(place);
                group.places.iter().for_each(|&(row, column)| seen[row][column] = true);
                groups.push(group);
            }
        }
        groups
    }

    /// Whether every group of stones has a liberty.
    pub fn is_position(&self) -> bool {
        self.groups().iter().all(|group| group.color == EMPTY || !group.liberties.is_empty())
    }

    /// The verdict on a play. `ban`: the ko applies; `my_eye`: filling one's own eye is forbidden.
    pub fn verdict(&self, color: i8, place: Place, ban: bool, my_eye: bool) -> Verdict {
        if self.at(place) != EMPTY {
            return Verdict::Masonry;
        }
        if ban && self.ko == Some((place, color)) {
            return Verdict::Ko;
        }
        // a stone with an empty neighbour is legal: avoids the flood fills below
        if around(place).iter().any(|&next| self.at(next) == EMPTY) {
            return Verdict::Legal;
        }
        let mut own = 0;
        let mut walls = 0;
        let mut joins_living_group = false;
        for next in around(place) {
            let neighbor = self.at(next);
            if neighbor == WALL {
                walls += 1;
                continue;
            }
            let has_other_liberties = self.group(next).liberties.len() > 1;
            if neighbor == -color && !has_other_liberties {
                return Verdict::Legal;
            }
            if neighbor == color {
                own += 1;
                joins_living_group |= has_other_liberties;
            }
        }
        match own {
            0 => Verdict::OpponentEye,
            _ if my_eye && own + walls == 4 => Verdict::MyEye,
            _ if !joins_living_group => Verdict::Suicide,
            _ => Verdict::Legal,
        }
    }

    /// Places the stone of a legal play and removes the opponent's groups without liberties, which are returned.
    pub fn play(&mut self, color: i8, place: Place) -> Vec<Group> {
        self.cells[place.0][place.1] = color;
        let mut taken: Vec<Group> = Vec::new();
        for next in around(place) {
            if self.at(next) == -color {
                let group = self.group(next);
                if group.liberties.is_empty() {
                    group.places.iter().for_each(|&(row, column)| self.cells[row][column] = EMPTY);
                    taken.push(group);
                }
            }
        }
        let count: usize = taken.iter().map(|group| group.places.len()).sum();
        let stone = self.group(place);
        let ko = count == 1 && stone.places.len() == 1 && stone.liberties.len() == 1;
        self.ko = ko.then(|| (stone.liberties[0], -color));
        self.taken[side(color)] += count as u32;
        self.moved[side(color)] = true;
        taken
    }

    pub fn pass(&mut self, color: i8) {
        self.ko = None;
        self.moved[side(color)] = true;
    }
}
