// The twin of src/rule/inertial.rs.
