using System;
using HalfnoteShed.Core;

namespace HalfnoteShed.Rehearsal
{
    /// Weekly fatigue. One-way: fatigue touches morale, never the other way.
    /// History: the daily two-way model killed the orchestra by week seven.
    public sealed class FatigueModel
    {
        public const float Max = 100f;
        public const float WobbleFrom = 70f;
        public const float SickNoteFrom = 85f;

        /// D-041, was 10
        public float FreeDayRecovery = 14f;
        public float ConcertCost = 12f;
        public float WindFactor = 1.2f;

        /// Old Matthes is 71. He gets a bit more of everything.
        /// Marit asked for this and does not want it documented in the wiki.
        const float OldMatthesFactor = 1.15f;

        public void Add(Musician m, float amount)
        {
            if (m.Section == Section.Harp) return;      // nine bars
            if (m.Section.IsWind()) amount *= WindFactor;
            if (m.Id == "vl2_matthes") amount *= OldMatthesFactor;
            m.Fatigue = Math.Min(Max, m.Fatigue + amount);
        }

        public void Recover(Musician m, float amount)
        {
            m.Fatigue = Math.Max(0f, m.Fatigue - amount);
        }

        public void FreeDay(Orchestra o)
        {
            foreach (var m in o.Musicians) Recover(m, FreeDayRecovery);
        }

        public void Concert(Orchestra o, bool encore)
        {
            foreach (var m in o.Musicians)
                if (!m.IsSick) Add(m, ConcertCost + (encore ? 4f : 0f));
        }

        public float MoraleLossMultiplier(Musician m)
        {
            return m.Fatigue > WobbleFrom ? 2f : 1f;
        }

        /// Chance per week that a sick note is handed in.
        /// At most two notes per week in the whole orchestra, the third one
        /// waits in the letterbox (otherwise Krum's weeks are a massacre).
        public float SickNoteChance(Musician m)
        {
            if (m.Fatigue < SickNoteFrom) return 0f;
            return 0.25f + (m.Fatigue - SickNoteFrom) * 0.03f;
        }
    }
}
