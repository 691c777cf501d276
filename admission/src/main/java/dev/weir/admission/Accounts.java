package dev.weir.admission;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The accounts of those who run, wait or pause, and of every configured group. Guarded by the controller's lock. */
final class Accounts {

    private AdmissionLimits limits;
    private final Map<String, Account> groups = new HashMap<>();
    private final Map<String, Account> users = new HashMap<>();

    Accounts(AdmissionLimits limits) {
        this.limits = limits;
        limits(limits);
    }

    /** Puts other limits in force; whoever is in a group that is gone keeps being counted there, by the default limits. */
    void limits(AdmissionLimits replacement) {
        limits = replacement;
        for (String name : limits.groups().keySet()) {
            groups.computeIfAbsent(name, key -> Account.ofGroup(key, limits.group(key)));
        }
        groups.values().forEach(group -> group.limits = limits.group(group.name));
        users.values().forEach(user -> user.limits = user.group.limits);
    }

    /** Name of the group whose limits count: the first that has some. */
    String groupOf(List<String> memberships) {
        for (String group : memberships) {
            if (limits.groups().containsKey(group)) {
                return group;
            }
        }
        return AdmissionLimits.DEFAULT_GROUP;
    }

    Account group(String name) {
        return groups.computeIfAbsent(name, key -> Account.ofGroup(key, limits.group(key)));
    }

    /** A user's account; made when there is none. A user who changed the group and still has queries stays there. */
    Account user(String name, String group) {
        return users.computeIfAbsent(name, key -> Account.ofUser(key, group(group)));
    }

    @Nullable
    Account find(String user) {
        return users.get(user);
    }

    /** Forgets the account if nothing is counted in it. */
    void retireIfIdle(Account user) {
        if (user.isIdle()) {
            users.remove(user.name, user);
        }
    }

    Collection<Account> groups() {
        return groups.values();
    }

    Collection<Account> users() {
        return users.values();
    }
}
