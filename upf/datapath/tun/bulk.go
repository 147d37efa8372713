package tun

// bulk decides how a worker's packets go to the device. Many packets that cannot be put
// together go on by the kernel's thread, a batch at once: that is quicker for all, and slower
// for each. All others go on inside their write. Packets of a flow must not overtake each
// other, so nothing is written in that way before the thread has taken all.
type bulk struct {
	on     bool
	row    int    // batches one after the other that were many and apart
	latest uint64 // when packets were many and apart the last time, ns
	barred uint64 // until when it stays off, ns
}

const (
	bulkLeast = 32  // packets of a batch that are apart
	bulkRow   = 4   // such batches before it begins: one or two come after any pause
	bulkStays = 2e6 // ns after such a batch, for the smaller ones between
	bulkPause = 1e8 // ns after packets came that can be put together, so that it does not go to and fro
)

// choose decides for a batch of so many packets, in runs of a flow that can be put together:
// true for the thread. drain waits until that has nothing more, and says whether it has not.
func (b *bulk) choose(packets, runs int, now uint64, drain func() bool) bool {
	joined := 4*(packets-runs) >= packets // a quarter
	if runs >= bulkLeast && !joined && now >= b.barred {
		b.row, b.latest = b.row+1, now
		b.on = b.on || b.row >= bulkRow
		return b.on
	}
	b.row = 0
	if !b.on || !joined && now < b.latest+bulkStays {
		return b.on
	}
	b.on = !drain()
	if joined {
		b.barred = now + bulkPause
	}
	return b.on
}
