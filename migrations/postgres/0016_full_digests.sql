-- Files are named by the whole digest of their content. Generations that were begun before keep the names they have.
ALTER TABLE generation ADD COLUMN short_names boolean NOT NULL DEFAULT false;
UPDATE generation SET short_names = true;
