package record

// What can limit a trial or a search: the values of LimitedBy.
const (
	LimitNone      = "none"      // everything offered was carried
	LimitDUT       = "dut"       // the number is the DUT's capability
	LimitGenerator = "generator" // the sender, or the sink behind it
	LimitLink      = "link"      // the bench between generator, DUT and sink
	LimitHost      = "host"      // the machine: stolen time, a shared core, others on the DUT's core
)
