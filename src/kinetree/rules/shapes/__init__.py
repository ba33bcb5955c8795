"""Rules about shapes and the files of meshes."""
