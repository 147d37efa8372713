package impair

import (
	"math/rand/v2"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// The random sequences, one for each decision, so that one does not change
// another.
const (
	sequenceLoss = iota
	sequenceDuplicate
	sequenceReorder
	sequenceCorrupt
	sequenceWrongTEID
	sequenceDelay
	sequenceService
	sequenceOffset
	sequences

	sequenceCE = 2 * sequences // beyond those of both directions
)

func newRand(p Parameters, way forward.Direction, sequence uint64) *rand.Rand {
	return rand.New(rand.NewPCG(p.Seed, uint64(way)*sequences+sequence))
}

// decider decides about one packet after the other.
type decider struct {
	chance Chance
	random *rand.Rand
	seen   uint64
}

func newDecider(c Chance, r *rand.Rand) decider { return decider{chance: c, random: r} }

func (d *decider) next() bool {
	if d.chance.Every > 0 {
		d.seen++
		return d.seen%d.chance.Every == 0
	}
	return d.chance.P > 0 && d.random.Float64() < d.chance.P
}

// deciders are those of one direction.
type deciders struct{ loss, duplicate, reorder, corrupt, wrongTEID, ce decider }

func newDeciders(p Parameters, way forward.Direction) deciders {
	made := func(c Chance, sequence uint64) decider { return newDecider(c, newRand(p, way, sequence)) }
	return deciders{
		loss: made(p.Loss, sequenceLoss), duplicate: made(p.Duplicate, sequenceDuplicate),
		reorder: made(p.Reorder, sequenceReorder), corrupt: made(p.Corrupt, sequenceCorrupt),
		wrongTEID: made(p.WrongTEID, sequenceWrongTEID), ce: made(p.CE, sequenceCE),
	}
}

// fate decides what else happens to a packet that is not lost.
func (d *deciders) fate() fate {
	f := fate{duplicate: d.duplicate.next(), reorder: d.reorder.next(), corrupt: d.corrupt.next(), ce: d.ce.next()}
	f.wrongTEID = d.wrongTEID.next() && !f.corrupt
	return f
}
