-- The last lines that the encoder wrote before an attempt failed.
ALTER TABLE attempt ADD COLUMN log text;
