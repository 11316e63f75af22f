-- How many histories a fit learned from. Called so because it names nobody: no version has been released with the other name.
ALTER TABLE model_fits RENAME COLUMN people TO histories;
