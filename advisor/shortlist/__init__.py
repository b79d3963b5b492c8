"""What could be run here for a work: the catalogue's models in every quantisation, before anything is downloaded."""
