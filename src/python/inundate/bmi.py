"""A :class:`inundate.Model` with CSDMS's Basic Model Interface (https://bmi.csdms.io), for coupling
frameworks.

    bmi = inundate.bmi.Bmi()
    bmi.initialize("scenario.toml")

Grids are uniform and rectilinear, with rows from the south, as the interface requires: grid 0 has the cells,
grid 1 the edges for eastward flow, and grid 2 the edges for northward flow. Grid 3 has the sources, as
unstructured points. A node is the centre of a cell or of an edge.
"""

from .errors import InputError, needed
from .model import Model

numpy = needed("numpy", "inundate.bmi", "pip install numpy bmipy")
bmipy = needed("bmipy", "inundate.bmi", "pip install bmipy")

CELLS, EAST, NORTH, SOURCES = range(4)
_GRIDS = {"cells": CELLS, "east_edges": EAST, "south_edges": NORTH, "sources": SOURCES}

# CSDMS standard name: the model's name and a factor, because y points north.
NAMES = {
    "land_surface_water__depth": ("depth", 1),
    "land_surface_water_surface__elevation": ("level", 1),
    "land_surface__elevation": ("bed", 1),
    "land_surface_water_flow__x_component_of_velocity": ("velocity_east", 1),
    "land_surface_water_flow__y_component_of_velocity": ("velocity_south", -1),
    "land_surface_water_flow__x_component_of_volume_flow_rate_per_width": ("discharge_east", 1),
    "land_surface_water_flow__y_component_of_volume_flow_rate_per_width": ("discharge_south", -1),
    "atmosphere_water__rainfall_volume_flux": ("rain", 1),
    "channel_entrance_water__volume_flow_rate": ("inflow", 1),
}
# Quantities that other models can set.
_INPUTS = ("depth", "level", "rain", "inflow")
_UNITS = {"m2/s": "m2 s-1", "m/s": "m s-1", "m3/s": "m3 s-1"}


class Bmi(bmipy.Bmi):
    """Implementation of the interface. ``model`` is the underlying :class:`inundate.Model`; ``results`` are
    its results after ``finalize``.
    """

    def __init__(self):
        self.model = None
        self.results = None
        self._pointers = {}
        self._step = 0.0

    def initialize(self, config_file):
        """Starts the run of a scenario file."""
        self.model = Model.from_scenario(config_file)
        self._pointers = {}
        self._step = 0.0

    def update(self):
        before = self.model.time
        self.model.update()
        self._step = self.model.time - before
        self._refresh()

    def update_until(self, time):
        self.model.update_until(time)
        self._refresh()

    def finalize(self):
        """Writes the results, if any step was taken."""
        if self.model is not None:
            self.results = self.model.finalize()
            self.model = None

    def get_component_name(self):
        return "inundate"

    def get_input_item_count(self):
        return len(self.get_input_var_names())

    def get_output_item_count(self):
        return len(self.get_output_var_names())

    def get_input_var_names(self):
        return tuple(name for name in self._names() if NAMES[name][0] in _INPUTS)

    def get_output_var_names(self):
        return self._names()

    def _names(self):
        def has(place):
            return self.model.sources if place == "sources" else self.model.has_flow or place == "cells"

        places = {own: about.place for own, about in self.model.quantities.items()}
        return tuple(name for name, (own, _) in NAMES.items() if has(places[own]))

    def get_var_grid(self, name):
        return _GRIDS[self._quantity(name).place]

    def get_var_type(self, name):
        return "float64"

    def get_var_units(self, name):
        unit = self._quantity(name).unit
        return _UNITS.get(unit, unit)

    def get_var_itemsize(self, name):
        return 8

    def get_var_nbytes(self, name):
        return 8 * self.get_grid_size(self.get_var_grid(name))

    def get_var_location(self, name):
        return "node"

    def get_current_time(self):
        return self.model.time

    def get_start_time(self):
        return 0.0

    def get_end_time(self):
        return self.model.end_time

    def get_time_units(self):
        return "s" if self.model.is_timed else "1"

    def get_time_step(self):
        """Returns the length of the last step taken by :meth:`update`; 0 before the first. The flow
        determines the length of the next step.
        """
        return self._step

    def get_value(self, name, dest):
        dest[:] = self._values(name)
        return dest

    def get_value_ptr(self, name):
        """Returns a read-only array that is kept up to date. Values must be set with ``set_value``, so that
        the mass balance includes the change.
        """
        if name not in self._pointers:
            self._pointers[name] = self._values(name).copy()
        shown = self._pointers[name].view()
        shown.flags.writeable = False
        return shown

    def get_value_at_indices(self, name, dest, inds):
        dest[:] = self._values(name)[inds]
        return dest

    def set_value(self, name, src):
        quantity, by = self._own(name)
        values = by * numpy.asarray(src, dtype=numpy.float64).reshape(self.model.shape(quantity))
        self.model.set_value(quantity, values[::-1] if values.ndim == 2 else values)
        self._refresh()

    def set_value_at_indices(self, name, inds, src):
        # NaN leaves a value unchanged.
        values = numpy.full(self.get_grid_size(self.get_var_grid(name)), numpy.nan)
        values[inds] = src
        self.set_value(name, values)

    def get_grid_rank(self, grid):
        return 2

    def get_grid_size(self, grid):
        return int(numpy.prod(self._shape(grid)))

    def get_grid_type(self, grid):
        return "unstructured" if grid == SOURCES else "uniform_rectilinear"

    def get_grid_shape(self, grid, shape):
        shape[:] = self._shape(grid)
        return shape

    def get_grid_spacing(self, grid, spacing):
        _, dx, _, _, _, dy = self.model.transform
        spacing[:] = (abs(dy), abs(dx))
        return spacing

    def get_grid_origin(self, grid, origin):
        west, dx, _, north, _, dy = self.model.transform
        rows = self._shape(CELLS)[0]
        south = north + rows * dy
        origin[:] = (
            south if grid == NORTH else south - dy / 2,
            west if grid == EAST else west + dx / 2,
        )
        return origin

    def get_grid_x(self, grid, x):
        return self._axis(grid, 1, x)

    def get_grid_y(self, grid, y):
        return self._axis(grid, 0, y)

    def get_grid_z(self, grid, z):
        raise NotImplementedError("the grids have no z")

    def get_grid_node_count(self, grid):
        return self.get_grid_size(grid)

    def get_grid_edge_count(self, grid):
        return self._none(grid)

    def get_grid_face_count(self, grid):
        return self._none(grid)

    def get_grid_edge_nodes(self, grid, edge_nodes):
        raise NotImplementedError(_RECTILINEAR)

    def get_grid_face_edges(self, grid, face_edges):
        raise NotImplementedError(_RECTILINEAR)

    def get_grid_face_nodes(self, grid, face_nodes):
        raise NotImplementedError(_RECTILINEAR)

    def get_grid_nodes_per_face(self, grid, nodes_per_face):
        raise NotImplementedError(_RECTILINEAR)

    def _none(self, grid):
        if grid != SOURCES:
            raise NotImplementedError(_RECTILINEAR)
        return 0

    def _own(self, name):
        if name not in NAMES:
            raise InputError(f"'{name}' is no variable of inundate", f"it has {', '.join(NAMES)}", 2)
        return NAMES[name]

    def _quantity(self, name):
        return self.model.quantities[self._own(name)[0]]

    def _values(self, name):
        quantity, by = self._own(name)
        values = self.model.get_value(quantity)
        # Order rows from the south, and avoid negative zero.
        values = values[::-1] if values.ndim == 2 else values
        return (values if by == 1 else 0.0 - values).ravel()

    def _refresh(self):
        for name, kept in self._pointers.items():
            kept[:] = self._values(name)

    def _shape(self, grid):
        [name] = [place for place, number in _GRIDS.items() if number == grid]
        one = next(own for own, about in self.model.quantities.items() if about.place == name)
        return self.model.shape(one)

    def _axis(self, grid, axis, to):
        if grid == SOURCES:
            to[:] = [place[1 - axis] for place in self.model.source_places]
            return to
        origin, spacing = self.get_grid_origin(grid, [0.0, 0.0]), self.get_grid_spacing(grid, [0.0, 0.0])
        to[:] = origin[axis] + spacing[axis] * numpy.arange(self._shape(grid)[axis])
        return to


_RECTILINEAR = "the grids are uniform and rectilinear: shape, spacing and origin say all"
