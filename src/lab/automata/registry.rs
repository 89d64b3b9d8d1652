//! Registry of the automata.

use crate::grid::Grid;
use crate::rules::clouds::Clouds;
use crate::rules::cyclic::Cyclic;
use crate::rules::forest_fire::ForestFire;
use crate::rules::life::Life;
use crate::rules::wireworld::WireWorld;
use crate::soup::{self, Soup};
use inundate_engine::error::{Error, Result};
use std::ops::RangeInclusive;

/// A rule of the registry.
#[derive(Clone, Copy, Debug)]
pub enum AnyRule {
    /// Rule of the Game of Life.
    Life(Life),
    /// Rule of the forest fire.
    ForestFire(ForestFire),
    /// Rule of the cyclic automaton.
    Cyclic(Cyclic),
    /// Rule of WireWorld.
    WireWorld(WireWorld),
    /// Rule of the clouds, in three dimensions.
    Clouds(Clouds),
}

/// Evaluates an expression with the concrete rule of an [`AnyRule`], optionally with a separate
/// expression for clouds.
#[macro_export]
macro_rules! with_rule {
    ($any:expr, $rule:ident => $what:expr, clouds $clouds:ident => $other:expr) => {
        match $any {
            $crate::registry::AnyRule::Life($rule) => $what,
            $crate::registry::AnyRule::ForestFire($rule) => $what,
            $crate::registry::AnyRule::Cyclic($rule) => $what,
            $crate::registry::AnyRule::WireWorld($rule) => $what,
            $crate::registry::AnyRule::Clouds($clouds) => $other,
        }
    };
    ($any:expr, $rule:ident => $what:expr) => {
        $crate::with_rule!($any, $rule => $what, clouds $rule => $what)
    };
}

/// A colour: red, green, blue.
pub type Colour = (u8, u8, u8);

/// An automaton of the registry.
pub struct Automaton {
    /// Name on the command line.
    pub name: &'static str,
    /// Description, for the help text.
    pub about: &'static str,
    /// Default number of states, and the allowed range.
    pub states: (usize, RangeInclusive<usize>),
    /// Names of the states; if empty, states are called by their numbers.
    pub names: &'static [&'static str],
    /// Colours of the states, as in the papers' figures; if empty, they range from purple to green.
    pub colours: &'static [Colour],
    /// Set if the automaton has three dimensions.
    pub deep: bool,
    /// Creates the rule for a number of states.
    pub rule: fn(u8) -> AnyRule,
    /// Generator of random states.
    pub soup: Soup,
    /// Name and text of the rule's kernel source below `kernels/automata/`.
    pub source: (&'static str, &'static str),
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Name and text of a kernel source.
macro_rules! kernel {
    ($name:literal) => {
        ($name, include_str!(concat!("kernels/automata/", $name)))
    };
}
pub(crate) use kernel;

/// All automata, one entry each.
pub static AUTOMATA: [Automaton; 5] = [
    Automaton {
        name: "life",
        about: "Game of Life: B3/S23, eight neighbours",
        states: (2, 2..=2),
        names: &["dead", "alive"],
        colours: &[(255, 255, 255), (24, 24, 32)],
        deep: false,
        rule: |_| AnyRule::Life(Life),
        soup: soup::life,
        source: kernel!("life.cuh"),
    },
    Automaton {
        name: "forest-fire",
        about: "Forest fire: trees, fire and ash, four neighbours",
        states: (4, 4..=4),
        names: &["empty", "tree", "ash", "fire"],
        colours: &[(139, 94, 60), (46, 139, 62), (150, 150, 150), (220, 40, 30)],
        deep: false,
        rule: |_| AnyRule::ForestFire(ForestFire),
        soup: soup::forest_fire,
        source: kernel!("forest_fire.cuh"),
    },
    Automaton {
        name: "cyclic",
        about: "Cyclic automaton: each of n states (15) is taken over by the next, four neighbours",
        states: (15, 3..=32),
        names: &[],
        colours: &[],
        deep: false,
        rule: |states| AnyRule::Cyclic(Cyclic { states }),
        soup: soup::cyclic,
        source: kernel!("cyclic.cuh"),
    },
    Automaton {
        name: "wireworld",
        about: "WireWorld: electrons on wires, eight neighbours",
        states: (4, 4..=4),
        names: &["empty", "head", "tail", "wire"],
        colours: &[(70, 70, 76), (40, 90, 230), (220, 40, 30), (240, 200, 40)],
        deep: false,
        rule: |_| AnyRule::WireWorld(WireWorld),
        soup: soup::wireworld,
        source: kernel!("wireworld.cuh"),
    },
    Automaton {
        name: "clouds",
        about: "Clouds in three dimensions: humid, active and cloud, eleven neighbours",
        states: (8, 8..=8),
        names: &[
            "dry",
            "humid",
            "active",
            "humid, active",
            "cloud",
            "humid, cloud",
            "active, cloud",
            "humid, active, cloud",
        ],
        colours: &[
            (40, 90, 170),
            (70, 130, 200),
            (250, 200, 80),
            (250, 220, 120),
            (235, 235, 240),
            (215, 225, 240),
            (250, 230, 180),
            (250, 240, 210),
        ],
        deep: true,
        rule: |_| AnyRule::Clouds(Clouds),
        soup: soup::clouds,
        source: kernel!("clouds.cuh"),
    },
];

/// An automaton with a number of states.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Automaton of the registry.
    pub automaton: &'static Automaton,
    /// Number of states, within its range.
    pub states: usize,
}

impl Model {
    /// Finds an automaton by name, with its default number of states or another.
    ///
    /// # Errors
    /// If there is none of that name, or the number of states is not allowed.
    pub fn named(name: &str, states: Option<usize>) -> Result<Model> {
        let Some(automaton) = AUTOMATA.iter().find(|automaton| automaton.name == name) else {
            let names: Vec<&str> = AUTOMATA.iter().map(|automaton| automaton.name).collect();
            return Err(Error::input(format!("automaton: there is no automaton '{name}'"))
                .hint(format!("take one of {}", names.join(", "))));
        };
        let (usual, may) = &automaton.states;
        let states = states.unwrap_or(*usual);
        if !may.contains(&states) {
            let hint = match (may.start(), may.end()) {
                (a, b) if a == b => format!("it has {a}: leave --states out"),
                (a, b) => format!("give {a} to {b}"),
            };
            return Err(
                Error::input(format!("states: {name} cannot have {states} states")).hint(hint)
            );
        }
        Ok(Model { automaton, states })
    }

    /// Returns all automata with their default numbers of states.
    pub fn all() -> impl Iterator<Item = Model> {
        AUTOMATA.iter().map(|automaton| Model { automaton, states: automaton.states.0 })
    }

    /// Returns the rule of the model.
    pub fn rule(self) -> AnyRule {
        (self.automaton.rule)(self.states as u8)
    }

    /// Returns the name of a state.
    pub fn state_name(self, state: usize) -> String {
        let named = self.automaton.names.get(state);
        named.map_or_else(|| format!("state {state}"), |name| name.to_string())
    }

    /// Returns the colour of a state.
    pub fn colour(self, state: usize) -> Colour {
        if let Some(colour) = self.automaton.colours.get(state) {
            return *colour;
        }
        // From purple to light green, as in figure 9 of 002.
        let share = state as f64 / (self.states - 1).max(1) as f64;
        let between = |from: f64, to: f64| (from + (to - from) * share).round() as u8;
        (between(80.0, 170.0), between(20.0, 240.0), between(110.0, 120.0))
    }

    /// Returns the number of bits of a state.
    pub fn bits(self) -> usize {
        (self.states - 1).ilog2() as usize + 1
    }

    /// Returns a grid of random states.
    pub fn soup(self, columns: usize, rows: usize, layers: usize, seed: u64) -> Grid {
        soup::fill(self.automaton.soup, self.states, [columns, rows, layers], seed)
    }

    /// Checks that a grid is valid for the automaton.
    ///
    /// # Errors
    /// If it is empty, has layers although the automaton is planar, or contains invalid states.
    pub fn check(self, grid: &Grid) -> Result<()> {
        let name = self.automaton.name;
        if grid.cells() == 0 {
            return Err(
                Error::input("in: it has no cells").hint("give a grid with at least one cell")
            );
        }
        if grid.layers > 1 && !self.automaton.deep {
            return Err(Error::input(format!(
                "in: it has {} layers, but {name} is two-dimensional",
                grid.layers
            ))
            .hint("give one layer"));
        }
        let bad = grid.states.iter().position(|&state| usize::from(state) >= self.states);
        if let Some(at) = bad {
            let (x, y) = (at % grid.columns, at / grid.columns % grid.rows);
            let state = grid.states[at];
            return Err(Error::input(format!(
                "in: state {state} in column {x}, row {y} is not a state of {name}"
            ))
            .hint(format!("its states are 0 to {}", self.states - 1)));
        }
        Ok(())
    }
}
