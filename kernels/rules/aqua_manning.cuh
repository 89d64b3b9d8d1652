// The twin of src/rule/aqua_manning.rs.
