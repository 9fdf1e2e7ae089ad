using System;
using System.Collections.Generic;
using HalfnoteShed.Core;

namespace HalfnoteShed.Rehearsal
{
    public enum RehearsalMode { Slow, RunThrough, FromTheEnd }

    /// One slot of the week. Slots are turns, there is no clock.
    public sealed class RehearsalSlot
    {
        public string MovementId;
        public Section[] Sections;      // empty = full orchestra
        public RehearsalMode Mode;
    }

    /// Plans and resolves the rehearsals of a week.
    /// Pure C#: no MonoBehaviour in here, so that the season simulation
    /// can run it without the engine (see tools and tests).
    public sealed class RehearsalScheduler
    {
        public const int SlotsPerWeek = 4;          // five until January 2026
        public const int MaxPencilMarks = 6;
        public const int MaxGossipPerWeek = 3;
        const int ReadinessFloor = 30;
        const int WeeksUntilDecay = 2;
        const int DecayPerWeek = 5;

        readonly FatigueModel _fatigue;
        readonly IRandom _random;
        readonly List<RehearsalSlot> _slots = new List<RehearsalSlot>();
        bool _fromTheEndUsed;

        public event Action<Musician, Musician> Gossiped;

        public RehearsalScheduler(FatigueModel fatigue, IRandom random)
        {
            _fatigue = fatigue;
            _random = random;
        }

        public bool TryAdd(RehearsalSlot slot, out string reason)
        {
            reason = null;
            if (_slots.Count >= SlotsPerWeek)
            {
                reason = "week_full";
                return false;
            }
            if (slot.Mode == RehearsalMode.FromTheEnd && _fromTheEndUsed)
            {
                // undignified twice
                reason = "conductor_refuses";
                return false;
            }
            if (slot.Mode == RehearsalMode.FromTheEnd) _fromTheEndUsed = true;
            _slots.Add(slot);
            return true;
        }

        public void ResolveWeek(Orchestra orchestra, Programme programme)
        {
            int gossips = 0;
            foreach (var slot in _slots)
            {
                bool sectional = slot.Sections != null && slot.Sections.Length > 0;
                int gain = GainOf(slot.Mode);
                int cost = CostOf(slot.Mode, orchestra.Conductor);

                foreach (var m in orchestra.Musicians)
                {
                    bool plays = !sectional || Array.IndexOf(slot.Sections, m.Section) >= 0;
                    if (plays && !m.IsSick)
                    {
                        _fatigue.Add(m, cost);
                        programme.AddReadiness(slot.MovementId, m.Section, sectional ? gain * 2 : gain);
                    }
                    else
                    {
                        _fatigue.Recover(m, 3);
                    }
                }

                if (sectional && gossips < MaxGossipPerWeek)
                    gossips += GossipOnce(orchestra, slot);
            }
            programme.Decay(WeeksUntilDecay, DecayPerWeek, ReadinessFloor);
            _slots.Clear();
            _fromTheEndUsed = false;
        }

        static int GainOf(RehearsalMode mode)
        {
            switch (mode)
            {
                case RehearsalMode.Slow: return 6;
                case RehearsalMode.RunThrough: return 3;
                default: return 4;
            }
        }

        static int CostOf(RehearsalMode mode, Conductor conductor)
        {
            int cost = mode == RehearsalMode.RunThrough ? 7 : mode == RehearsalMode.Slow ? 5 : 4;
            // Bellweather stops for tea
            if (conductor.StopsForTea) cost -= 1;
            return cost;
        }

        int GossipOnce(Orchestra orchestra, RehearsalSlot slot)
        {
            var idle = orchestra.IdleIn(slot);
            // Fewer than two idle people: nobody to talk to. The harp never gossips,
            // she is above it; filtered in IdleIn.
            if (idle.Count < 2) return 0;
            var a = idle[_random.Range(0, idle.Count)];
            var b = idle[_random.Range(0, idle.Count)];
            if (a == b) return 0;           // talks to himself, does not count
            orchestra.Opinions.Shift(a, b, _random.Range(-4, 7));
            Gossiped?.Invoke(a, b);
            return 1;
        }
    }
}
