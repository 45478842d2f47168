-- Those that were cancelled before the column was there. Apart from 0017, whose lock on the table keeps everybody out.
UPDATE video SET cancelled = true WHERE status = 'failed' AND error_message = 'Cancelled.';
