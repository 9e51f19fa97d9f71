/**
 * What has failed in this process since its start: attempts to send a message of a webhook or an email, to read the log
 * of changes for webhooks and notifications, to run a job, and to send traces. The metrics show them.
 */
export const failureCounts = { webhooks: 0, mail: 0, notifications: 0, jobs: 0, traces: 0 };
