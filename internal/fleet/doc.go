// Package fleet is what the hub, the agents and the client agree on: the names of the
// streams and buckets in NATS JetStream, and what is written in them. Its folders are
// the parts: hub runs the server, agent measures on a host, matrix makes jobs of a
// campaign's file, client submits them and collects their results.
package fleet

import "time"

// Protocol is the revision of what is in this package. Agents of another one do not
// work for a hub.
const Protocol = 3

// AliveFor is how long an agent counts as alive after it was last heard of.
const AliveFor = 4 * time.Second

// AliveEvery is how often an agent is heard of.
const AliveEvery = time.Second

// Settings are the same for all who use a hub.
type Settings struct {
	Protocol int `json:"protocol"`
	// Lease is how long a testbed, and a job on it, stay an agent's that is not heard
	// of. When it has passed the agent has ended its run, and the job is another's.
	Lease time.Duration `json:"lease_ns"`
	// Replicas is how many servers keep each message; 1 where there is one server.
	Replicas int `json:"replicas"`
}

// DefaultLease is long enough for a switch to boot, or a hub to be restarted.
const DefaultLease = 60 * time.Second

// endMargin is how long an agent may take to end its run when its lease has passed.
const endMargin = 10 * time.Second

// AckWait is when a job that nobody works on is given to another agent: the first one
// has ended its run by then. Leases under 20 s, for tests, leave less time for that.
func (s Settings) AckWait() time.Duration { return s.Lease + min(endMargin, s.Lease/2) }
