-- Every renewal of a claim had to write to all indexes because of this one. Running jobs are found by job_held.
DROP INDEX job_running;
