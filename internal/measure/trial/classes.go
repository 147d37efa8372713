package trial

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// delays are those of the sampled packets of a class.
type delays struct{ sinceDue, atDUT traffic.Histogram }

// delaysByClass are those of the classes in the direction of the trial.
func (m *measured) delaysByClass(turn []uint8, classes int) []delays {
	list := make([]delays, classes)
	for p := range m.passed(m.spec.Direction) {
		x := &list[turn[int(p.Session)%len(turn)]]
		x.sinceDue.Add(uint64(p.SinceDue) + uint64(p.Took))
		x.atDUT.Add(uint64(p.Took))
	}
	return list
}

// fillClasses writes the classes into a trial of one direction. Their counts are those of
// their sessions.
func (m *measured) fillClasses(t *record.Trial, s *scenario.Scenario) {
	all := s.Classes()
	if len(all) < 2 || m.spec.Direction == record.Both {
		return
	}
	f := m.flow(m.spec.Direction)
	turn := classTurn(s, max(1, len(f.SentBySession)/s.StreamsEach()))
	sent, arrived := inAll(f.SentBySession), inAll(f.ReceivedBySession)
	for c, d := range m.delaysByClass(turn, len(all)) {
		x := record.Class{Class: s.ClassName(all[c]), Latency: latency(&d.sinceDue, nil), AtDUT: latency(&d.atDUT, nil)}
		received, streams := uint64(0), 0
		for i, n := range f.SentBySession {
			if int(turn[i%len(turn)]) == c {
				streams++
				x.TxPackets += n
				received += at(f.ReceivedBySession, i)
			}
		}
		x.Sessions = streams / s.StreamsEach()
		if x.TxPackets > 0 {
			x.TxPPS = t.TxPPS * float64(x.TxPackets) / float64(sent)
			x.FrameLossRatio = classLoss(float64(x.TxPackets), float64(received), float64(sent), float64(arrived), t.FrameLossRatio)
		}
		t.Classes = append(t.Classes, x)
	}
}

// classTurn is the class of each stream of so many sessions, as the scenario has that of each session: a session has a
// stream for each of its addresses, next to each other, and again for each of its UDP flows.
func classTurn(s *scenario.Scenario, sessions int) (turn []uint8) {
	of := s.ClassTurn()
	for i := range sessions {
		for range s.UE.Family.Addresses() {
			turn = append(turn, of[i%len(of)])
		}
	}
	return turn
}

// classLoss is the loss ratio of a class in the windows that count, of which that of all
// classes is known: what was lost there is split among them as what was lost in the whole
// trial. Where nothing was excluded that is exact.
func classLoss(tx, rx, allTx, allRx, counted float64) float64 {
	whole := 1 - min(allRx, allTx)/allTx
	if whole == 0 {
		return 0
	}
	return min(1, (1-min(rx, tx)/tx)*counted/whole)
}

func inAll(list []uint64) (n uint64) {
	for _, x := range list {
		n += x
	}
	return n
}

// at is an element of a list that may be shorter.
func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}
