-- The codec and pace of a quality, the time a job has left, and the images and subtitles of a generation.

ALTER TABLE quality ADD COLUMN codec text NOT NULL DEFAULT 'h264' CHECK (codec IN ('h264', 'hevc', 'av1'));
ALTER TABLE quality ADD COLUMN fps real CHECK (fps >= 0);
ALTER TABLE quality ADD COLUMN speed real CHECK (speed >= 0);

ALTER TABLE job ADD COLUMN eta_seconds real CHECK (eta_seconds >= 0);

-- Files of a generation that are not segments. `name` is an image's name, or the number of a subtitle's track.
CREATE TABLE extra_file (
    video_id      blob NOT NULL,
    generation    integer NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('image', 'subtitle')),
    name          text NOT NULL,
    carried_from  integer,
    sha256        blob NOT NULL,
    size          integer NOT NULL CHECK (size > 0),
    created_at    text NOT NULL,
    PRIMARY KEY (video_id, generation, kind, name),
    FOREIGN KEY (video_id, generation) REFERENCES generation (video_id, number) ON DELETE CASCADE
) STRICT;
