package fleet

import "regexp"

// JobStream is the work queue: a message for each job that has no outcome yet.
const JobStream = "UPFLAB_JOBS"

// The key-value buckets.
const (
	bucketConfig   = "upflab_config"   // "settings"
	bucketClasses  = "upflab_classes"  // class: what jobs ask of a testbed
	bucketTestbeds = "upflab_testbeds" // testbed: what it can do
	bucketAlive    = "upflab_alive"    // testbed: who serves it, what it does; gone AliveFor later
	bucketLeases   = "upflab_leases"   // testbed: whose it is; gone a lease later
	bucketRuns     = "upflab_runs"     // agent.job: how it went
)

// plansBucket is the object store of campaigns.
const plansBucket = "upflab_plans"

// resultsPrefix, with an agent's name, is the object store of its results.
const resultsPrefix = "upflab_results_"

// The keys of the bucket of settings: what all are told, and the secret of the hub's tickets.
const (
	settingsKey = "settings"
	ticketKey   = "ticket"
)

// jobSubjects are those of JobStream.
const jobSubjects = "upflab.job.*.*"

// JobSubject is where a job is queued. There is one message for each subject at most,
// so that no job is in the queue twice.
func JobSubject(class, job string) string { return "upflab.job." + class + "." + job }

// RunKey is the key of what an agent did with a job, in the bucket of runs.
func RunKey(agent, job string) string { return agent + "." + job }

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$`)

// GoodName reports whether a text can name an agent, a testbed or a campaign: letters,
// digits, "-" and "_", 63 at most.
func GoodName(name string) bool { return nameRule.MatchString(name) }
