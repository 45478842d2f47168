/** The story of a job as a text file. */
export const logUrl = (id: string) => `/api/queue/jobs/${encodeURIComponent(id)}/log`;
