-- $1 job, $2 fence, $3 now, $4 outcome, $5 error class, $6 error
UPDATE attempt
/* rule: attempt_ends */
SET ended_at = $3, outcome = $4, error_class = $5, error = $6
WHERE job_id = $1 AND fence = $2 AND ended_at IS NULL
/* end */
