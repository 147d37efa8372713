package plan

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// PacketCounts are the trials of a visit that count the instructions of packets.
func (p *Plan) PacketCounts(repeat int) (list []trial.Spec) {
	for _, size := range p.Sizes() {
		for _, d := range p.Scenario.Directions {
			list = append(list, trial.Spec{Kind: record.KindInstructions, Direction: d, Size: size, Repeat: repeat})
		}
	}
	return list
}

// requestCounts is how many further trials the visit to a UPF has: see trial.CountRequests.
const requestCounts = 3

// packetSockets send: a packet leaves when it is sent, and no thread of an engine runs beside it.
func packetSockets(*Plan) (record.Engine, error) {
	return record.Engine{Name: string(scenario.EngineAFPacket), Why: "packets are sent one at a time"}, nil
}

func instructionSteps(p *Plan, i, repeat int) int {
	n := len(p.PacketCounts(repeat))
	if IsReference(p.Targets[i].Name()) {
		return n
	}
	return n + requestCounts
}

// countTakes is about how long such a trial takes in an emulated machine.
const countTakes = 15 * time.Second

func outlineInstructions(p *Plan, o *Outline) time.Duration {
	o.Cases, o.Of = len(p.PacketCounts(1))+requestCounts, "figure"
	return time.Duration(o.Cases) * countTakes
}

// checkInstructions refuses what could not be told from something else.
func checkInstructions(p *Plan) error {
	for _, size := range p.Sizes() {
		if len(size.Uplink) > 1 || len(size.Downlink) > 1 {
			return fmt.Errorf("size %s is a mixture: a scenario of kind instructions counts packets of one size each", size.Name)
		}
	}
	return nil
}
